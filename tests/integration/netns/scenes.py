"""What a network does to one home each, and what the observer has to say of it meanwhile."""
import dataclasses

from wire import PARTITION, Fault

PORT = 8080
GATED, SERVED, MOVED, EITHER = "gated", "served", "moved", "either"


@dataclasses.dataclass
class Scene:
    """`fault`: of the wire. `way`: of the name server for NAME.test. `probe`: what the
    trouble must lead to: `gated`, `served` as if there were none, `moved` (served, by the new address
    alone), or `either`. `poll`: the beginning of the reason without a ceiling, or "" where the
    ceiling must stay; None: either. `behaviour`: of the home, from the start. `addresses`: of
    NAME.test; without any, the endpoint is the home's address. `moves`: a change that is made with the
    trouble (see stage.py)."""

    name: str
    probe: str = SERVED
    poll: str | None = ""
    fault: Fault | None = None
    way: str = ""
    named: bool = False
    dead_families: tuple = ()
    behaviour: dict = dataclasses.field(default_factory=dict)
    moves: str = ""
    long: bool = False


UNREACHABLE = "capacity endpoint unreachable: "
# The body of a probe that does not fit below the largest packet of the black hole.
LARGE = {"probe": {"body": "x" * 4000}, "poll": {"report": 3}}

SCENES = [
    Scene("partition", GATED, UNREACHABLE, PARTITION),
    Scene("one-way-to", GATED, UNREACHABLE, Fault(lost_to=1)),
    Scene("one-way-from", GATED, UNREACHABLE, Fault(lost_from=1)),
    # What a lost packet costs is told by the model: no gate without its three failures.
    Scene("loss-5", EITHER, None, Fault(lost_to=0.05, lost_from=0.05)),
    Scene("loss-30", EITHER, None, Fault(lost_to=0.3, lost_from=0.3), long=True),
    Scene("delay-300", SERVED, "", Fault(delay=0.15)),
    # A fresh connection takes two round trips, too long; a kept one takes one, for as long as it lives.
    Scene("delay-900", GATED, None, Fault(delay=0.45)),
    Scene("mtu-black-hole", GATED, "", Fault(most_bytes=600), behaviour=LARGE),
    Scene("dead-aaaa", SERVED, "", named=True, dead_families=("v6",)),
    Scene("dead-a", SERVED, "", named=True, dead_families=("v4",)),
    Scene("dns-late", SERVED, "", named=True, way="late:0.4"),
    Scene("dns-too-late", GATED, UNREACHABLE, named=True, way="late:5"),
    Scene("dns-never", GATED, UNREACHABLE, named=True, way="never"),
    Scene("dns-no-aaaa", SERVED, "", named=True, way="no-aaaa"),
    Scene("dns-servfail", GATED, UNREACHABLE, named=True, way="servfail"),
    Scene("dns-forged", GATED, UNREACHABLE, named=True, way="forged"),
    Scene("dns-truncated", SERVED, "", named=True, way="truncated"),
    Scene("dns-truncated-only", GATED, UNREACHABLE, named=True, way="truncated-only"),
    # The old gateway stops, and its name has another address.
    Scene("gateway-moves", MOVED, None, named=True, moves="gateway"),
    # The old one goes on answering, and is left all the same.
    Scene("gateway-is-left", MOVED, "", named=True, moves="gateway-lives"),
    # Known to the second name server alone: the change of resolv.conf mends it.
    Scene("resolver-change", GATED, UNREACHABLE, named=True, moves="resolver"),
]
# Nothing happens to these: two by address, two by name.
UNDISTURBED = [Scene("calm-1"), Scene("calm-2"), Scene("calm-3", named=True),
               Scene("calm-4", named=True)]
