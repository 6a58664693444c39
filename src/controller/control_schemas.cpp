#include "control_routes.hpp"

namespace ome::controller {

std::string_view control_schemas() {
    return R"json({
"ErrorAnswer": {"type":"object","required":["error"],"properties":{
  "error":{"$ref":"#/components/schemas/Error"}}},
"Error": {"type":"object","required":["code","message","field"],"properties":{
  "code":{"type":"string"},
  "message":{"type":"string","description":"Names the parameter, the value and the rule"},
  "field":{"type":"string","description":"The query parameter that is wrong, or empty"}}},
"Status": {"type":"object","required":["version","uptimeSeconds","store","leading","dryRun","ready","configuration","observer","services","queued","passes","writes","maps","unusable","missingRights","troubles"],"properties":{
  "version":{"type":"string"},
  "uptimeSeconds":{"type":"number"},
  "store":{"type":"string","description":"As given with --store"},
  "leading":{"type":"boolean","description":"This process is the one that writes"},
  "dryRun":{"type":"boolean","description":"Everything is computed, nothing is written"},
  "ready":{"type":"boolean","description":"The store has been read"},
  "configuration":{"$ref":"#/components/schemas/Configuration"},
  "lease":{"$ref":"#/components/schemas/Lease"},
  "observer":{"$ref":"#/components/schemas/Observer"},
  "services":{"type":"integer"},
  "queued":{"type":"integer","description":"Services that wait for a pass"},
  "passes":{"type":"integer"},
  "writes":{"type":"integer"},
  "trouble":{"type":"string","description":"The first of troubles, in words. Absent: there is none"},
  "troubles":{"type":"array","items":{"$ref":"#/components/schemas/Trouble"},"description":"What an API server is asked for and does not do at present; one goes when such a request succeeds"},
  "wouldWrite":{"type":"integer","description":"Of a dry run: what would have been written. Absent: it writes"},
  "maps":{"type":"array","items":{"$ref":"#/components/schemas/MapStatus"}},
  "unusable":{"type":"array","items":{"$ref":"#/components/schemas/Unusable"}},
  "missingRights":{"type":"array","items":{"$ref":"#/components/schemas/MissingRight"}}}},
"Configuration": {"type":"object","required":["source","problem","routingOff","warnings"],"properties":{
  "source":{"type":"string","description":"A path, or ConfigMap NAMESPACE/NAME"},
  "problem":{"type":"string","description":"Why what is there cannot be used; an earlier one is in force. Empty: it is in force"},
  "routingOff":{"type":"string","description":"Which member of the one in force turns routing off, so that no map is kept. Empty: routing is on"},
  "warnings":{"type":"array","items":{"type":"string"},"description":"What of the one in force is not taken as it is written, such as members that are not known"}}},
"Lease": {"type":"object","description":"By which controllers agree on who leads, as last seen. Absent: a folder, a dry run, or not seen yet","required":["name","holder","ours","since","renewed","transitions"],"properties":{
  "name":{"type":"string","description":"namespace/name"},
  "holder":{"type":"string","description":"Empty: nobody"},
  "ours":{"type":"boolean"},
  "since":{"type":"string","description":"When its holder took it, by the holder's clock"},
  "renewed":{"type":"string","description":"When its holder renewed it last, by the holder's clock"},
  "validUntil":{"type":"string","format":"date-time","description":"Until when its holder leads if it is not renewed: of ours by our clock, of another's by the holder's. Absent: it cannot be told"},
  "transitions":{"type":"integer","description":"How often it has changed hands"}}},
"Trouble": {"type":"object","required":["at","since","problem"],"properties":{
  "at":{"type":"string","description":"lease, watch, read, write, configuration, or a kind of objects that is not installed"},
  "since":{"type":"string","format":"date-time","description":"When it failed first"},
  "problem":{"type":"string","description":"What was asked for and what came of it"}}},
"MissingRight": {"type":"object","required":["verb","resource","namespace","since","hinders","problem"],"properties":{
  "verb":{"type":"string"},
  "resource":{"type":"string","description":"With its group: trafficmaps.ome.io"},
  "namespace":{"type":"string","description":"Empty: all"},
  "since":{"type":"string","format":"date-time","description":"When it was refused first"},
  "hinders":{"type":"string","description":"What cannot be done meanwhile"},
  "problem":{"type":"string","description":"What the API server said"}}},
"Observer": {"type":"object","required":["url","connected","instance","silent","problem"],"properties":{
  "url":{"type":"string"},
  "connected":{"type":"boolean"},
  "instance":{"type":"string","description":"Random, new with each start of the observer; empty before the first answer"},
  "silent":{"type":"boolean","description":"Nothing was heard for so long that capacity falls open"},
  "heard":{"type":"string","format":"date-time","description":"When anything was heard of it last. Absent: never since routing was started"},
  "problem":{"type":"string","description":"Why it is not connected; empty: it is"}}},
"MapStatus": {"type":"object","required":["namespace","name","mode","homes","gated","routable","published"],"properties":{
  "namespace":{"type":"string"},
  "name":{"type":"string"},
  "mode":{"type":"string"},
  "homes":{"type":"integer"},
  "gated":{"type":"integer","description":"Homes that the probe holds at 0"},
  "routable":{"type":"string","description":"Status and reason of the condition; empty: there is no map"},
  "published":{"type":"string","description":"Likewise; empty: nothing has been said"},
  "fallbackHomes":{"type":"integer","description":"Homes without a usable report. Absent: none is polled"},
  "frozen":{"type":"string","description":"Why the map stays as it is. Absent: it follows its service"}}},
"Maps": {"type":"object","required":["maps"],"properties":{
  "maps":{"type":"array","items":{"$ref":"#/components/schemas/MapWeights"}}}},
"MapWeights": {"type":"object","required":["namespace","name","entries"],"properties":{
  "namespace":{"type":"string"},
  "name":{"type":"string"},
  "entries":{"type":"array","items":{"$ref":"#/components/schemas/MapEntry"}}}},
"MapEntry": {"type":"object","required":["cluster","endpoint","weight","drained","gated"],"properties":{
  "cluster":{"type":"string"},
  "endpoint":{"type":"string","description":"Without user name and password"},
  "weight":{"type":"integer"},
  "drained":{"type":"boolean"},
  "gated":{"type":"boolean","description":"The probe holds it at 0"}}},
"Relayed": {"type":"object","description":"As the observer's own description says","additionalProperties":true},
"Unusable": {"type":"object","required":["at","field","problem"],"properties":{
  "at":{"type":"string","description":"The file, with the line where it is known"},
  "field":{"type":"string"},
  "problem":{"type":"string","description":"Names the field, the value and the rule"}}},
"Explanation": {"type":"object","required":["routable","homes","notes"],"properties":{
  "routable":{"type":"string","description":"Reason and message of the condition Routable"},
  "homes":{"type":"array","items":{"$ref":"#/components/schemas/Home"}},
  "frozen":{"type":"string","description":"Why the map stays as it is; its weights are those in force. Absent: it follows its service"},
  "lastGood":{"$ref":"#/components/schemas/LastGood"},
  "shadow":{"type":"array","items":{"$ref":"#/components/schemas/Home"},"description":"What the readings would make of it. Absent: the service is not in shadow"},
  "notes":{"type":"array","items":{"type":"string"},"description":"Drains and factors without effect, clusters that are no homes"}}},
"LastGood": {"type":"object","required":["since","at","field","problem"],"description":"Something newer is there and cannot be used: the last good state is in force. Absent: the newest is","properties":{
  "since":{"type":"string","format":"date-time"},
  "at":{"type":"string","description":"The file that cannot be used, with the line where it is known"},
  "field":{"type":"string"},
  "problem":{"type":"string","description":"Names the field, the value and the rule"}}},
"Home": {"type":"object","required":["cluster","weight","share","text","steps"],"properties":{
  "cluster":{"type":"string"},
  "weight":{"type":"integer"},
  "share":{"type":"number","description":"Of the sum of the weights"},
  "text":{"type":"string","description":"The steps in one line"},
  "steps":{"type":"array","items":{"$ref":"#/components/schemas/Step"}}}},
"Diff": {"type":"object","required":["maps","counts"],"properties":{
  "maps":{"type":"array","items":{"$ref":"#/components/schemas/MapDiff"}},
  "counts":{"type":"object","required":["equal","different","missing","surplus"],"properties":{
    "equal":{"type":"integer"},
    "different":{"type":"integer"},
    "missing":{"type":"integer"},
    "surplus":{"type":"integer"}}}}},
"MapDiff": {"type":"object","required":["namespace","name","state","differences"],"properties":{
  "namespace":{"type":"string"},
  "name":{"type":"string"},
  "state":{"type":"string","enum":["equal","different","missing","surplus"],"description":"missing: it would be created. surplus: it would be deleted"},
  "differences":{"type":"array","items":{"$ref":"#/components/schemas/Mismatch"}}}},
"Mismatch": {"type":"object","required":["field","live","wanted"],"properties":{
  "field":{"type":"string","description":"Its path in the map"},
  "live":{"type":"string","description":"Empty: it is not there"},
  "wanted":{"type":"string","description":"Likewise"}}},
"Step": {"type":"object","required":["what","text","value"],"properties":{
  "what":{"type":"string","enum":["admitted","ready","ceiling","factor","gate","preserved","reduced","capped","withdrawn","drain","stored"]},
  "text":{"type":"string"},
  "value":{"type":"string","description":"What is left after the step, exactly"}}},
"Description": {"type":"object","required":["openapi","info","paths"],"additionalProperties":true}
})json";
}

}  // namespace ome::controller
