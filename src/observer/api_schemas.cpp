#include "api_schemas.hpp"

namespace ome::observer {

// Rules between members (a timeout shorter than its period) do not fit here; their texts come with
// a 422.
std::string_view api_schemas() {
    return R"json({
"Instance": {"type":"string","description":"Random, made at start. A new one: everything declared was forgotten, declare again"},
"Revision": {"type":"integer","format":"int64","minimum":0,"description":"One counter for all changes"},
"Time": {"type":"string","format":"date-time"},
"Duration": {"type":"string","description":"500ms, 10s, 1h30m"},
"Kind": {"type":"string","enum":["poll","probe"]},
"ErrorAnswer": {"type":"object","required":["instance","error"],"properties":{
  "instance":{"$ref":"#/components/schemas/Instance"},
  "error":{"$ref":"#/components/schemas/Error"},
  "warnings":{"$ref":"#/components/schemas/Warnings"}}},
"Warnings": {"type":"array","description":"What of a declaration is not taken as it is written, such as members that are not known; absent: nothing. The last one may say how many more there are","items":{"$ref":"#/components/schemas/Warning"}},
"Warning": {"type":"object","required":["message"],"properties":{
  "message":{"type":"string"},
  "field":{"type":"string","description":"The path of the member"}}},
"Error": {"type":"object","required":["code","message","field"],"properties":{
  "code":{"type":"string"},
  "message":{"type":"string","description":"Names the field, the value and the rule"},
  "field":{"type":"string","description":"The path of the first field that is wrong, or empty"}}},
"CapacityPolicy": {"type":"object","required":["path","method","format","samples","quorum","period","timeout","maxAge"],"properties":{
  "path":{"type":"string"},
  "method":{"type":"string"},
  "format":{"type":"string"},
  "options":{"type":"object","additionalProperties":{"type":"string"}},
  "samples":{"type":"integer"},
  "quorum":{"type":"integer"},
  "period":{"$ref":"#/components/schemas/Duration"},
  "timeout":{"$ref":"#/components/schemas/Duration"},
  "maxAge":{"$ref":"#/components/schemas/Duration"}}},
"ProbePolicy": {"type":"object","required":["path","method","acceptStatuses","gateStatuses","period","timeout","failureThreshold","successThreshold","allFailedPolicy"],"properties":{
  "path":{"type":"string"},
  "method":{"type":"string"},
  "acceptStatuses":{"type":"array","items":{"type":"integer"}},
  "gateStatuses":{"type":"array","items":{"type":"integer"}},
  "period":{"$ref":"#/components/schemas/Duration"},
  "timeout":{"$ref":"#/components/schemas/Duration"},
  "failureThreshold":{"type":"integer"},
  "successThreshold":{"type":"integer"},
  "allFailedPolicy":{"type":"string","enum":["PreserveTraffic","Drain"]}}},
"Restored": {"type":"object","required":["policyDigest"],"properties":{
  "policyDigest":{"type":"string"},
  "gated":{"type":"boolean"},
  "consecutiveFailures":{"type":"integer"},
  "result":{"$ref":"#/components/schemas/ProbeResult"},
  "message":{"type":"string"},
  "lastProbeTime":{"$ref":"#/components/schemas/Time"}}},
"HomeDeclaration": {"type":"object","required":["cluster","endpoint"],"properties":{
  "cluster":{"type":"string"},
  "endpoint":{"type":"string"},
  "restored":{"$ref":"#/components/schemas/Restored"}}},
"Declaration": {"type":"object","required":["ownerUID"],"properties":{
  "namespace":{"type":"string","description":"As in the URL"},
  "name":{"type":"string","description":"As in the URL"},
  "ownerUID":{"type":"string"},
  "suspended":{"type":"boolean","description":"Nothing is sent; policies and homes are ignored, the last declared ones stay"},
  "capacity":{"description":"Absent or null: no polls","nullable":true,"allOf":[{"$ref":"#/components/schemas/CapacityPolicy"}]},
  "probe":{"description":"Absent or null: no probes","nullable":true,"allOf":[{"$ref":"#/components/schemas/ProbePolicy"}]},
  "homes":{"type":"array","description":"Required unless suspended","items":{"$ref":"#/components/schemas/HomeDeclaration"}}}},
"NamedDeclaration": {"allOf":[{"$ref":"#/components/schemas/Declaration"}],"required":["namespace","name"]},
"ProbeResult": {"type":"string","enum":["Unknown","Passing","Failing"]},
"Sample": {"type":"object","required":["servable","observedAt","expiresAt"],"properties":{
  "servable":{"type":"integer"},
  "observedAt":{"$ref":"#/components/schemas/Time"},
  "expiresAt":{"$ref":"#/components/schemas/Time"}}},
"CapacityReading": {"type":"object","required":["policyDigest","fallbackReason","samples"],"properties":{
  "policyDigest":{"type":"string"},
  "ceiling":{"type":"integer","description":"Absent: there is none, and fallbackReason says why"},
  "fallbackReason":{"type":"string"},
  "validUntil":{"$ref":"#/components/schemas/Time"},
  "samples":{"type":"array","items":{"$ref":"#/components/schemas/Sample"}},
  "lastAttemptTime":{"$ref":"#/components/schemas/Time"},
  "nextAttemptTime":{"$ref":"#/components/schemas/Time"}}},
"ProbeReading": {"type":"object","required":["policyDigest","result","message","gated","conclusive","consecutiveFailures","consecutivePasses"],"properties":{
  "policyDigest":{"type":"string"},
  "result":{"$ref":"#/components/schemas/ProbeResult"},
  "message":{"type":"string"},
  "gated":{"type":"boolean","description":"No traffic: closed when consecutiveFailures reaches failureThreshold, lifted when consecutivePasses reaches successThreshold"},
  "conclusive":{"type":"boolean","description":"Whether any probe has passed or failed yet; false: nothing but Unknown results so far"},
  "consecutiveFailures":{"type":"integer","description":"Failing results since the last Passing one, which makes it 0, also while gated. Unknown results change nothing"},
  "consecutivePasses":{"type":"integer","description":"Progress towards the lifting of the gate, and nothing else: Passing results since the last Failing one, counted while gated is true. 0 whenever the gate is open, however often probes pass. A Failing result makes it 0, Unknown results change nothing"},
  "lastProbeTime":{"$ref":"#/components/schemas/Time"},
  "nextAttemptTime":{"$ref":"#/components/schemas/Time"}}},
"Home": {"type":"object","required":["cluster","endpoint"],"properties":{
  "cluster":{"type":"string"},
  "endpoint":{"type":"string","description":"As declared, without user name and password"},
  "capacity":{"$ref":"#/components/schemas/CapacityReading"},
  "probe":{"$ref":"#/components/schemas/ProbeReading"},
  "tls":{"type":"object","description":"Absent until an answer came over TLS","properties":{
    "notAfter":{"$ref":"#/components/schemas/Time"}}},
  "clockSkewSeconds":{"type":"number","description":"How far the reporter's clock is off; absent until it told"}}},
"Service": {"type":"object","required":["namespace","name","ownerUID","revision","suspended","homes"],"properties":{
  "instance":{"$ref":"#/components/schemas/Instance"},
  "namespace":{"type":"string"},
  "name":{"type":"string"},
  "ownerUID":{"type":"string"},
  "revision":{"$ref":"#/components/schemas/Revision"},
  "suspended":{"type":"boolean"},
  "homes":{"type":"array","items":{"$ref":"#/components/schemas/Home"}},
  "warnings":{"$ref":"#/components/schemas/Warnings"}}},
"ServiceList": {"type":"object","required":["instance","revision","services","continue"],"properties":{
  "instance":{"$ref":"#/components/schemas/Instance"},
  "revision":{"$ref":"#/components/schemas/Revision"},
  "services":{"type":"array","items":{"$ref":"#/components/schemas/Service"}},
  "continue":{"type":"string","description":"Empty on the last page"}}},
"RejectedLine": {"type":"object","required":["line","error"],"properties":{
  "line":{"type":"integer","minimum":1},
  "namespace":{"type":"string"},
  "name":{"type":"string"},
  "error":{"$ref":"#/components/schemas/Error"}}},
"BulkAnswer": {"type":"object","required":["instance","applied","forgotten","rejected"],"properties":{
  "instance":{"$ref":"#/components/schemas/Instance"},
  "applied":{"type":"integer"},
  "forgotten":{"type":"integer"},
  "rejected":{"type":"array","items":{"$ref":"#/components/schemas/RejectedLine"}},
  "rejectedNotListed":{"type":"integer","description":"Further refused lines, when there are very many"},
  "warned":{"type":"array","description":"Lines with warnings, refused ones too; absent: none","items":{"$ref":"#/components/schemas/WarnedLine"}},
  "warnedNotListed":{"type":"integer","description":"Further lines with warnings, when there are very many"}}},
"WarnedLine": {"type":"object","required":["line","warnings"],"properties":{
  "line":{"type":"integer","minimum":1},
  "namespace":{"type":"string"},
  "name":{"type":"string"},
  "warnings":{"$ref":"#/components/schemas/Warnings"}}},
"ForgottenService": {"type":"object","required":["namespace","name"],"properties":{
  "namespace":{"type":"string"},
  "name":{"type":"string"},
  "clusters":{"type":"array","items":{"type":"string"},"description":"Absent: the whole service"}}},
"ReadingLine": {"type":"object","required":["type","instance","revision","service"],"properties":{
  "type":{"type":"string","enum":["Reading"]},
  "instance":{"$ref":"#/components/schemas/Instance"},
  "revision":{"$ref":"#/components/schemas/Revision"},
  "service":{"$ref":"#/components/schemas/Service"}}},
"ForgottenLine": {"type":"object","required":["type","instance","revision","service"],"properties":{
  "type":{"type":"string","enum":["Forgotten"]},
  "instance":{"$ref":"#/components/schemas/Instance"},
  "revision":{"$ref":"#/components/schemas/Revision"},
  "service":{"$ref":"#/components/schemas/ForgottenService"}}},
"BookmarkLine": {"type":"object","required":["type","instance","revision"],"properties":{
  "type":{"type":"string","enum":["Bookmark"]},
  "instance":{"$ref":"#/components/schemas/Instance"},
  "revision":{"$ref":"#/components/schemas/Revision"}}},
"GoneLine": {"type":"object","required":["type","instance"],"properties":{
  "type":{"type":"string","enum":["Gone"]},
  "instance":{"$ref":"#/components/schemas/Instance"}}},
"WatchLine": {"oneOf":[
  {"$ref":"#/components/schemas/ReadingLine"},
  {"$ref":"#/components/schemas/ForgottenLine"},
  {"$ref":"#/components/schemas/BookmarkLine"},
  {"$ref":"#/components/schemas/GoneLine"}]},
"SkippedAttempt": {"type":"object","required":["cluster","kind","reason"],"properties":{
  "cluster":{"type":"string"},
  "kind":{"$ref":"#/components/schemas/Kind"},
  "reason":{"type":"string"}}},
"AttemptsAnswer": {"type":"object","required":["instance","started","skipped"],"properties":{
  "instance":{"$ref":"#/components/schemas/Instance"},
  "started":{"type":"integer"},
  "skipped":{"type":"array","items":{"$ref":"#/components/schemas/SkippedAttempt"}}}},
"Attempt": {"type":"object","required":["time","kind","result","outcome","ms"],"properties":{
  "time":{"$ref":"#/components/schemas/Time"},
  "kind":{"$ref":"#/components/schemas/Kind"},
  "result":{"type":"string","enum":["Accepted","Failed","Passing","Failing","Unknown"]},
  "outcome":{"type":"string","enum":["answered","invalid-url","refused","unreachable","body","deadline"],"description":"answered: a complete answer, whose status and content decide. invalid-url: nothing was sent, endpoint and path make no URL. refused: nothing was sent, no address may be used. unreachable: no response head (lookup, connect, TLS, reset). body: a head, and no complete body or one that is too large. deadline: timeout ended it, wherever it was; ms says how far it came"},
  "reason":{"type":"string","maxLength":256,"description":"What the reading said of it (fallbackReason, message); longer ones end with an ellipsis. Absent: an accepted report"},
  "change":{"type":"string","enum":["gate-closed","gate-lifted","ceiling-lost","ceiling-known","ceiling-moved"],"description":"What the attempt did to the home. Absent: nothing"},
  "status":{"type":"integer","description":"Absent: no answer"},
  "servable":{"type":"integer","description":"What an accepted report said. Absent: there was none"},
  "ceiling":{"type":"integer","description":"After a poll. Absent: there was none, or it is a probe"},
  "ms":{"type":"object","description":"Milliseconds; a phase that did not happen is absent","properties":{
    "dns":{"type":"number"},
    "connect":{"type":"number"},
    "tls":{"type":"number"},
    "firstByte":{"type":"number"},
    "total":{"type":"number"}}}}},
"HomeHistory": {"type":"object","required":["cluster","attempts"],"properties":{
  "cluster":{"type":"string"},
  "attempts":{"type":"array","maxItems":40,"description":"Of polls and of probes the last 10 each, and up to 10 older ones each that have a change","items":{"$ref":"#/components/schemas/Attempt"}}}},
"History": {"type":"object","required":["instance","namespace","name","homes"],"properties":{
  "instance":{"$ref":"#/components/schemas/Instance"},
  "namespace":{"type":"string"},
  "name":{"type":"string"},
  "homes":{"type":"array","items":{"$ref":"#/components/schemas/HomeHistory"}}}},
"Status": {"type":"object","required":["instance"],"properties":{
  "instance":{"$ref":"#/components/schemas/Instance"}},"additionalProperties":true},
"Config": {"type":"object","required":["instance"],"properties":{
  "instance":{"$ref":"#/components/schemas/Instance"}},"additionalProperties":true},
"Description": {"type":"object","required":["openapi","info","paths"],"additionalProperties":true}
})json";
}

}  // namespace ome::observer
