{{- define "ome-observer.name" -}}
{{- default "ome-trafficmap" .Values.fullnameOverride -}}
{{- end }}

{{- define "ome-observer.selector" -}}
app.kubernetes.io/name: {{ include "ome-observer.name" . }}
{{- end }}

{{- define "ome-observer.labels" -}}
{{ include "ome-observer.selector" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: ome
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "ome-observer.service-account" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "ome-observer.name" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end }}

{{- define "ome-observer.config-map" -}}
{{- default "ome-observer-config" .Values.controller.existingConfigMap -}}
{{- end }}

{{- define "ome-observer.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end }}

{{/* The configuration as JSON: what the values say, and OME's defaults for what they take away. An
empty list, or null, says none where old values files have one. */}}
{{- define "ome-observer.multicluster" -}}
{{- $config := deepCopy (default dict .Values.ome.multicluster.config) }}
{{- $routing := default dict $config.routing }}
{{- $publisher := $routing.publisher }}
{{- if not $publisher }}
{{- $publisher = dict "name" "" "resyncInterval" "1m" "options" dict }}
{{- end }}
{{- $_ := set $routing "publisher" $publisher }}
{{- range list "probe" "capacity" }}
{{- if not (index $routing .) }}
{{- $_ := unset $routing . }}
{{- end }}
{{- end }}
{{- if hasKey $routing "capacity" }}
{{- if not (hasKey $routing.capacity "options") }}
{{- $_ := set $routing.capacity "options" dict }}
{{- end }}
{{- end }}
{{- $_ := set $config "routing" $routing }}
{{- toPrettyJson $config }}
{{- end }}

{{/* Routing needs both switches, since OME's manager takes neither from the ConfigMap. */}}
{{- define "ome-observer.check" -}}
{{- $multicluster := .Values.ome.multicluster }}
{{- $routing := default dict (default dict $multicluster.config).routing }}
{{- if $routing.enabled }}
{{- if not (and $multicluster.enabled (eq (toString $multicluster.role) "control-plane")) }}
{{- fail "ome.multicluster.config.routing.enabled=true requires ome.multicluster.enabled=true and ome.multicluster.role=control-plane" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "ome-observer.container-security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* A binding in each of controller.namespaces, or one for all. Takes root, role (the ClusterRole)
and namespaces. */}}
{{- define "ome-observer.bindings" -}}
{{- $root := .root }}
{{- $role := .role }}
{{- range $namespace := default (list "") .namespaces }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "RoleBinding" "ClusterRoleBinding" (ne $namespace "") }}
metadata:
  name: {{ $role }}
  {{- if $namespace }}
  namespace: {{ $namespace }}
  {{- end }}
  labels:
    {{- include "ome-observer.labels" $root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ $role }}
subjects:
  - kind: ServiceAccount
    name: {{ include "ome-observer.service-account" $root }}
    namespace: {{ $root.Release.Namespace }}
{{- end }}
{{- end }}
