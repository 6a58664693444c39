#include "notice_log.hpp"

#include <ome/telemetry/log.hpp>

#include <cstddef>
#include <variant>

namespace ome::controller {

namespace log = telemetry::log;

void write_notice(const Notice& notice) {
    const auto field = [&notice](std::size_t at) {
        const auto& [name, value] = notice.fields[at];
        return std::visit([&key = name](const auto& it) { return log::Field(key, it); }, value);
    };
    const log::Level level = notice.level == Notice::Level::Error  ? log::Level::Error
                             : notice.level == Notice::Level::Warn ? log::Level::Warn
                                                                   : log::Level::Info;
    switch (notice.fields.size()) {
        case 0:
            log::write(level, notice.event);
            break;
        case 1:
            log::write(level, notice.event, {field(0)});
            break;
        case 2:
            log::write(level, notice.event, {field(0), field(1)});
            break;
        case 3:
            log::write(level, notice.event, {field(0), field(1), field(2)});
            break;
        default:
            log::write(level, notice.event, {field(0), field(1), field(2), field(3)});
    }
}

}  // namespace ome::controller
