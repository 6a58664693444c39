{{- define "ome-observer.notes" -}}
{{- $name := include "ome-observer.name" . }}
{{- $namespace := .Release.Namespace }}
{{- if .Values.ome.multicluster.config.routing.enabled }}
Routing is on. Who leads, and what it says:

  kubectl -n {{ $namespace }} get lease {{ $name }}
  kubectl -n {{ $namespace }} logs deployment/{{ $name }} -c controller
  kubectl get trafficmaps -A
{{- else }}
Routing is OFF (ome.multicluster.config.routing.enabled): the controller runs, makes no TrafficMap and
deletes those that are there. To turn it on:

  helm upgrade {{ .Release.Name }} CHART -n {{ $namespace }} --reuse-values \
    --set ome.multicluster.enabled=true --set ome.multicluster.role=control-plane \
    --set ome.multicluster.config.routing.enabled=true
{{- end }}

Is it well?

  kubectl -n {{ $namespace }} port-forward deployment/{{ $name }} 7470 &
  curl -s localhost:7470/status

{{- if hasPrefix "registry.example.com/" .Values.image.repository }}

WARNING: image.repository is still the example's. No pod can start: set it to where your image is.
{{- end }}
{{- if lt (int .Values.replicas) 2 }}

With one replica nobody takes over while the pod moves to another node.
{{- end }}

OME's own routing controller must not run over the same services: two writers undo each other's work.
{{- end }}
