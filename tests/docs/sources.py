"""The words of the programs, as their sources have them: what docs/messages.md must explain. Each function
returns {word: what else is known of it}."""
import re

import markdown

TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
NOT_FOR_PEOPLE = {"attempt"}   # at debug only, a line for each attempt


def read(path):
    return (markdown.ROOT / path).read_text(encoding="utf-8")


def files(folder):
    return sorted((markdown.ROOT / folder).glob("*.cpp"))


def argument_from(text, begin):
    """What stands from `begin` up to the comma or the closing parenthesis that ends this argument."""
    depth = 0
    for piece in re.finditer(r'"(?:[^"\\]|\\.)*"|[][(){},;]', text[begin:]):
        if piece[0] in "([{":
            depth += 1
        elif piece[0] in ")]}":
            depth -= 1
        if depth < 0 or (depth == 0 and piece[0] in ",;"):
            return text[begin:begin + piece.start()]
    return text[begin:]


def texts_in(expression):
    """Its texts, those side by side joined."""
    joined = re.sub(r'(?<!\\)"\s+"', "", expression)
    return [text.replace('\\"', '"') for text in TEXT.findall(joined)]


def log_lines(folder):
    """{line: level}"""
    found = {}
    for path in files(folder):
        text = path.read_text(encoding="utf-8")
        calls = [(call[1], call.end()) for call in re.finditer(r"\blog::(info|warn|error)\(", text)]
        calls += [(call[1].lower(), call.end()) for call in re.finditer(r"Notice::Level::(\w+),\s", text)]
        calls += [("info", call.end()) for call in re.finditer(r"log::write\([^;]*?\bLevel::\w+ : log::Level::Debug,", text)]
        for level, begin in calls:
            for line in texts_in(argument_from(text, begin)):
                found[line] = level
        # One function tells of several things; its second argument is the line.
        for call in re.finditer(r"tell_without_effect\(subject,", text):
            for line in texts_in(argument_from(text, call.end())):
                found[line] = "warn"
    return {line: level for line, level in found.items() if line not in NOT_FOR_PEOPLE}


def observer_log():
    return log_lines("src/observer") | {"log lines dropped": "warn"}


def controller_log():
    failures = re.search(r"failure_line\(Publication what\) \{(.*?)\n\}", read("src/routing/publication_status.cpp"),
                         re.DOTALL)
    return log_lines("src/controller") | {line: "error" for line in texts_in(failures[1])} | \
        {"log lines dropped": "warn"}


def events():
    """{reason: Warning, Normal or both}; what is given by a variable has no type here."""
    found = {}
    for flag, reason in re.findall(r'Kind\{(true|false), "(\w+)"', read("src/routing/map_changes.cpp")):
        found[reason] = "Warning" if flag == "true" else "Normal"
    for path in files("src/controller"):
        text = path.read_text(encoding="utf-8")
        for reason in re.findall(r'\.reason = "(\w+)"', text) + \
                re.findall(r'constexpr std::string_view \w*reason\w* = "([A-Z]\w+)"', text) + \
                re.findall(r'(?:^|[ (])"((?:[A-Z][a-z]+){2,})",\n?\s', text, re.MULTILINE):
            found.setdefault(reason, "")
    return found


def publication_reasons():
    table = re.search(r"constexpr std::array<Row, \d+> table\{\{(.*?)\n\}\};", read("src/routing/publication_status.cpp"),
                      re.DOTALL)
    return {reason: "" for reason in re.findall(r'\{\s*"([A-Z]\w+)",\s*(?:true|false)', table[1])}


def condition_reasons():
    """{reason of Routable, CapacityFallback or OverrideActive: its condition}"""
    found = {reason: "Routable" for reason in re.findall(
        r'return \{[^;]*?"(\w+)"\};', read("src/routing/table.cpp"))}
    found |= {reason: "Routable" for reason in re.findall(r'\? "(\w+)" : "\w+"\}', read("src/routing/table.cpp"))}
    for kind, reason in re.findall(r'condition\("(\w+)",\s*(?:true|false),\s*"(\w+)"', read("src/routing/conditions.cpp")):
        found[reason] = kind
    return found


def freeze_stages():
    return {stage: "" for stage in re.findall(r'in_stage\("([^"]+)"', read("src/routing/admission.cpp"))}


def difference_states():
    words = words_of("src/controller/dry_run.cpp", "to_string(")
    return {word: "" for word in words if word != "unknown"}   # for the compiler


def fallback_codes():
    text = read("src/routing/fallback_code.cpp")
    codes = re.findall(r'Match::\w+,\s*"(\w+)"\}', text) + re.findall(r'return "(\w+)";', text)
    return {code: "" for code in codes}


def capacity_reasons():
    """What a fallbackReason begins with."""
    rows = re.findall(r'\{"([^"]+)",\s*Match::(\w+)', read("src/routing/fallback_code.cpp"))
    ours = "capacity response is not a valid report"
    return {text.rstrip(" (:"): match for text, match in rows} | {ours: "Prefix"}


def probe_messages():
    text = read("src/core/attempt.cpp")
    body = text[text.index("ProbeVerdict"):]
    return {said.split("{")[0].rstrip(" :"): "" for said in TEXT.findall(body)
            if re.match(r"(?:probe|transport|response) ", said)}


def outcomes():
    """Of attempts that had one; the others are in no history."""
    text = read("src/core/attempt.cpp")
    body = text[text.index("to_string(Fault"):]
    return {word: "" for word in TEXT.findall(body[:body.index("\n}")]) if word not in ("cancelled", "stalled")}


def words_of(path, function):
    """The texts of the array in a to_string."""
    text = read(path)
    body = text[text.index(function):]
    return {word.split(" (")[0]: "" for word in TEXT.findall(body[:body.index("\n}")])}


def zero_weights():
    return words_of("src/routing/zero_weight.cpp", "to_string(ZeroWeight") | {"NotAHome": ""}


def map_states():
    return words_of("src/kubectl/map_state.cpp", "to_string(Health")


def request_failures():
    return words_of("src/kubectl/cluster.cpp", "to_string(Failure")


def api_codes():
    codes = re.findall(r'return "([A-Z]\w+)";', read("src/observer/api.cpp"))
    codes += re.findall(r'return "([A-Z]\w+)";', read("src/controller/control_api.cpp"))
    return {code: "" for code in codes}
