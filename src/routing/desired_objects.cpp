#include <ome/core/address_policy.hpp>
#include <ome/core/text.hpp>
#include <ome/routing/desired_objects.hpp>
#include <ome/routing/home_addresses.hpp>

#include <algorithm>

namespace ome::routing {
namespace {

constexpr std::string_view slice_service_label = "kubernetes.io/service-name";
constexpr std::string_view slice_manager_label = "endpointslice.kubernetes.io/managed-by";

ObjectKey slice_key(const PublicationPlan& plan, const HomeBackend& home, bool v6) {
    return {ObjectKind::EndpointSlice, plan.route.ns, home.service + (v6 ? "-ipv6" : "-ipv4")};
}

class Builder {
public:
    Builder(const PublicationPlan& plan,
            const PublicationSettings& settings,
            const HomeAddresses& addresses)
        : plan_(plan), settings_(settings), addresses_(addresses) {}

    DesiredObjects run() {
        for (const HomeBackend& home : plan_.homes) {
            add_service(home);
            if (settings_.endpoint_slices) {
                add_slices(home);
            }
            if (settings_.backend_tls) {
                add_policy(home);
            }
        }
        std::sort(out_.services.begin(), out_.services.end(), [](const auto& a, const auto& b) {
            return a.meta.key < b.meta.key;
        });
        add_route();
        return std::move(out_);
    }

private:
    [[nodiscard]] PublishedObject object(const std::string& name, ObjectSpec spec) const {
        PublishedObject made;
        made.meta.key = {plan_.route.ns, name};
        made.meta.labels = source_labels(plan_.source);
        made.spec = std::move(spec);
        return made;
    }

    [[nodiscard]] PublishedObject object_of(const HomeBackend& home,
                                            const std::string& name,
                                            ObjectSpec spec) const {
        PublishedObject made = object(name, std::move(spec));
        made.meta.labels.emplace(cluster_label, home.cluster);
        return made;
    }

    void add_service(const HomeBackend& home) {
        const bool headless = settings_.backend_type == BackendType::Headless;
        out_.services.push_back(object_of(
            home,
            home.service,
            ServiceSpec{headless ? std::string() : home.hostname, settings_.backend_port}));
    }

    void add_slices(const HomeBackend& home) {
        const auto found = addresses_.find(home.cluster);
        const auto resolved =
            found != addresses_.end()
                ? found->second
                : resolve_addresses(home.cluster, plan_.source, home.hostname, nullptr);
        if (!resolved) {
            out_.unresolved.push_back(resolved.error());
            out_.kept.insert(slice_key(plan_, home, false));
            out_.kept.insert(slice_key(plan_, home, true));
            return;
        }
        for (const bool v6 : {false, true}) {
            EndpointSliceSpec spec{.v6 = v6, .addresses = {}, .port = settings_.backend_port};
            for (const std::string& address : *resolved) {
                const auto ip = core::parse_address(address);
                if (ip && ip->v6 == v6) {
                    spec.addresses.push_back(address);
                }
            }
            if (!spec.addresses.empty()) {
                PublishedObject slice =
                    object_of(home, slice_key(plan_, home, v6).name, std::move(spec));
                slice.meta.labels.emplace(slice_service_label, home.service);
                slice.meta.labels.emplace(slice_manager_label, manager);
                out_.backends.push_back(std::move(slice));
            }
        }
    }

    void add_policy(const HomeBackend& home) {
        out_.backends.push_back(
            object_of(home,
                      home.service,
                      BackendTlsPolicySpec{home.service, settings_.authorities, home.hostname}));
    }

    void add_route() {
        HttpRouteSpec spec{
            .parents = {plan_.gateway}, .hostnames = {plan_.hostname}, .backends = {}};
        for (const HomeBackend& home : plan_.homes) {
            spec.backends.push_back({.service = home.service,
                                     .ns = plan_.route.ns,
                                     .port = settings_.backend_port,
                                     .weight = home.weight,
                                     .rewrite_hostname = settings_.rewrite_hostname
                                                             ? std::optional(home.hostname)
                                                             : std::nullopt});
        }
        out_.route = object(plan_.route.name, std::move(spec));
    }

    const PublicationPlan& plan_;
    const PublicationSettings& settings_;
    const HomeAddresses& addresses_;
    DesiredObjects out_;
};

}  // namespace

DesiredObjects desired_objects(const PublicationPlan& plan,
                               const PublicationSettings& settings,
                               const HomeAddresses& addresses) {
    return Builder(plan, settings, addresses).run();
}

std::vector<ObjectKey> object_keys_of(const PublicationPlan& plan, const HomeBackend& home) {
    return {{ObjectKind::Service, plan.route.ns, home.service},
            slice_key(plan, home, false),
            slice_key(plan, home, true),
            {ObjectKind::BackendTlsPolicy, plan.route.ns, home.service}};
}

}  // namespace ome::routing
