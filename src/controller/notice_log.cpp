#include "notice_log.hpp"

#include <ome/telemetry/log.hpp>

#include <array>
#include <string_view>

namespace ome::controller {

namespace log = telemetry::log;

void write_notice(const Notice& notice) {
    std::array<std::string_view, 8> text{};
    std::size_t count = 0;
    for (const auto& [name, value] : notice.fields) {
        if (count + 2 <= text.size()) {
            text[count++] = name;
            text[count++] = value;
        }
    }
    const log::Level level = notice.level == Notice::Level::Error  ? log::Level::Error
                             : notice.level == Notice::Level::Warn ? log::Level::Warn
                                                                   : log::Level::Info;
    switch (count / 2) {
        case 0:
            log::write(level, notice.event);
            break;
        case 1:
            log::write(level, notice.event, {{text[0], text[1]}});
            break;
        case 2:
            log::write(level, notice.event, {{text[0], text[1]}, {text[2], text[3]}});
            break;
        case 3:
            log::write(
                level, notice.event, {{text[0], text[1]}, {text[2], text[3]}, {text[4], text[5]}});
            break;
        default:
            log::write(
                level,
                notice.event,
                {{text[0], text[1]}, {text[2], text[3]}, {text[4], text[5]}, {text[6], text[7]}});
    }
}

}  // namespace ome::controller
