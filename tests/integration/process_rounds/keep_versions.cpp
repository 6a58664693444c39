// Keeps every version of a TrafficMap: loaded into the controller (LD_PRELOAD), it links a file
// aside before it is renamed to its place. OME_KEEP_VERSIONS names the folder.
#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void keep(const char* from, const std::string& to) {
    static unsigned number = 0;
    const char* folder = std::getenv("OME_KEEP_VERSIONS");
    const std::string maps = "/trafficmaps/";
    const std::size_t place = to.find(maps);
    if (folder == nullptr || place == std::string::npos) {
        return;
    }
    std::string name = to.substr(place + maps.size());
    for (char& letter : name) {
        letter = letter == '/' ? '+' : letter;
    }
    const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    const std::string kept = std::string(folder) + "/" + std::to_string(now.count()) + "-" +
                             std::to_string(getpid()) + "-" + std::to_string(number++) + "-" + name;
    if (link(from, kept.c_str()) != 0) {
        std::perror(kept.c_str());
    }
}

}  // namespace

extern "C" int rename(const char* from, const char* to) noexcept {
    using Rename = int (*)(const char*, const char*);
    static const Rename real = reinterpret_cast<Rename>(dlsym(RTLD_NEXT, "rename"));
    keep(from, to);
    return real(from, to);
}
