#!/usr/bin/env python3
"""Checks that no file includes what its layer may not, and that deadlines are made with core::later().

Usage: tools/check_layers.py [ROOT]

They stand in docs/architecture.md, "Layers". Exit codes: 0 ok, 1 with file and line for each violation,
2 wrong usage.
"""
import pathlib
import re
import sys

MAY_INCLUDE = {
    "core": set(),
    "routing": {"core"},
    "wire": {"core", "routing"},
    "net": {"core"},
    "telemetry": {"core"},
    "kube": {"core", "wire", "net"},
    "page": {"net"},
    "observer": {"core", "wire", "net", "telemetry", "page"},
    "controller": {"core", "routing", "wire", "net", "telemetry", "kube", "page"},
    "kubectl": {"core", "routing", "wire", "net", "kube"},
}
PURE = {"core", "routing"}
# Libraries by the folders that may see them; what is not listed is free for all.
LIBRARIES = {
    r"boost/(asio|beast)|openssl/(ssl|err|bio|x509)|ares": {"net", "kube", "observer", "controller", "kubectl"},
    r"boost/beast": {"net"},
    r"simdjson|yaml\.h": {"wire"},
    r"spdlog|prometheus": {"telemetry", "observer", "controller"},
}
PURE_BANS = [
    (r"#include <(thread|mutex|shared_mutex|atomic|random|condition_variable|future|iostream|fstream|filesystem)>",
     "pure layers start no thread, read no file, draw no random number"),
    (r"\b(steady_clock|system_clock|high_resolution_clock)::now\b", "pure layers read no clock: time is an argument"),
    (r"\b(clock_gettime|gettimeofday|std::time)\b", "pure layers read no clock: time is an argument"),
    (r"#include <(spdlog|boost/asio|boost/beast)", "pure layers do no I/O and log nothing"),
]
# A sum that does not fit is in the past, and due again and again.
DEADLINE = re.compile(r"\b(steady|now\(\)) \+ ")


def layer_of(path):
    parts = path.parts
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    if parts[:2] == ("include", "ome") and len(parts) > 3:
        return parts[2]
    return None


def check_line(layer, line):
    own = re.match(r"#include [<\"]ome/(\w+)/", line)
    if own and own[1] != layer and own[1] not in MAY_INCLUDE[layer]:
        yield f"{layer}/ may not include {own[1]}/"
    library = re.match(r"#include <([^>]+)>", line)
    if library:
        for pattern, layers in LIBRARIES.items():
            if re.match(pattern, library[1]) and layer not in layers:
                yield f"{layer}/ may not include <{library[1]}>"
    if layer in PURE:
        for pattern, reason in PURE_BANS:
            if re.search(pattern, line):
                yield reason
    if DEADLINE.search(line):
        yield "a deadline is made with core::later(), which ends with the clock"


def check(root):
    problems = []
    for folder in ("src", "include/ome"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cpp", ".hpp"):
                continue
            name = path.relative_to(root)
            layer = layer_of(name)
            if layer not in MAY_INCLUDE:
                problems.append(f"{name}: not in a folder of the layer picture")
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                problems += [f"{name}:{number}: {why}" for why in check_line(layer, line)]
    for path in sorted((root / "src").rglob("main.cpp")):
        if len(path.read_text(encoding="utf-8").splitlines()) >= 40:
            problems.append(f"{path.relative_to(root)}: main.cpp stays under 40 lines")
    return problems


def main(arguments):
    if arguments in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    root = pathlib.Path(arguments[0] if arguments else ".")
    if len(arguments) > 1 or not (root / "src").is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    found = check(root)
    print("\n".join(found) if found else "layers: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
