# Shared by the scripts of this folder; sourced, never run. Sets `root` to the checkout and goes there.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# A fresh clone in another folder then finds what an earlier one compiled.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
export NINJA_STATUS='[%f/%t, %es] '

# What a build needs, by what it is for.
build_packages=(
    git ca-certificates python3 meson ninja-build ccache pkg-config g++
    libboost1.81-dev libboost-json1.81-dev libboost-url1.81-dev
    libssl-dev libsimdjson-dev libspdlog-dev libfmt-dev prometheus-cpp-dev
    libc-ares-dev libyaml-dev libyaml-cpp-dev libcli11-dev zlib1g-dev libgtest-dev libgmock-dev faketime
)
demo_packages=(curl jq)
# What tools/package needs besides.
package_packages=(dpkg-dev debhelper fakeroot)
# The tests of deploy/, besides Helm (tools/helm).
deploy_packages=(
    "${package_packages[@]}" prometheus python3-yaml jq curl binutils util-linux
    systemd systemd-container man-db mandoc lintian zsh fish debootstrap chromium
)
# For the status page, where there is no npm: other packages of Node bring it along.
npm_packages=(nodejs npm)
developer_packages=(clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev libbenchmark-dev spin valgrind)
# What tools/loadtest compares with; the Go observer needs Go besides.
bench_packages=(wrk nghttp2-client haproxy prometheus-blackbox-exporter)

start_time=$SECONDS

# One line about what is going on now, with the minutes and seconds since the script began.
say() {
    local elapsed=$((SECONDS - start_time))
    printf '\n== %d:%02d  %s\n' $((elapsed / 60)) $((elapsed % 60)) "$*"
}

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# The comment block at the top of the calling script is its help text.
usage() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" | sed '/^set -/d'
}

is_debian_12() {
    [ -r /etc/os-release ] && (. /etc/os-release && [ "${ID:-}" = debian ] && [ "${VERSION_ID:-}" = 12 ])
}

# Those of the packages named that are not installed, one a line.
missing_packages() {
    local installed
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' || true)
    comm -23 <(printf '%s\n' "$@" | sort -u) <(printf '%s\n' "$installed" | sort -u)
}

# Installs what is missing for `build`, `demo`, `deploy`, `bench` or `all`; silent and quick when nothing is.
ensure_setup() {
    if is_debian_12; then
        tools/setup --quiet "$1"
    else
        say "this is not Debian 12: taking the packages as installed (tools/setup lists them)"
    fi
}

# configure DIR [MESON-OPTION...]: only when it has not been configured yet.
configure() {
    local dir=$1
    shift
    if [ ! -f "$dir/build.ninja" ]; then
        say "configuring $dir"
        rm -rf "$dir"
        meson setup "$dir" --wrap-mode=nofallback "$@"
    fi
}

# build DIR [TARGET...]
build() {
    local dir=$1
    shift
    say "building in $dir"
    ninja -C "$dir" "$@"
}

# The path in DIR of the program NAME, wherever its meson.build stands.
program_target() {
    local target
    target=$(ninja -C "$1" -t targets all | sed -n "s|^\(.*/\)\{0,1\}\($2\): cpp_LINKER.*|\1\2|p" | head -n 1)
    [ -n "$target" ] || fail "this checkout builds no program $2"
    printf '%s\n' "$target"
}
