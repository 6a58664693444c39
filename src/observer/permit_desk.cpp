#include "permit_desk.hpp"

#include <boost/asio/post.hpp>

namespace ome::observer {

PermitDesk::PermitDesk(net::asio::io_context& home,
                       std::size_t reactors,
                       std::int64_t total,
                       std::function<void(const core::Allowance&)> deliver)
    : home_(home), arbiter_(reactors, total), deliver_(std::move(deliver)) {}

void PermitDesk::report(const core::PermitReport& report) {
    net::asio::post(home_, [this, report] { deliver(arbiter_.report(report)); });
}

void PermitDesk::set_total(std::int64_t total) {
    net::asio::post(home_, [this, total] { deliver(arbiter_.set_total(total)); });
}

void PermitDesk::deliver(const std::vector<core::Allowance>& changed) {
    for (const core::Allowance& allowance : changed) {
        deliver_(allowance);
    }
}

}  // namespace ome::observer
