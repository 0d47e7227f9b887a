{{/* application.yaml: what the values name, and config over it. */}}
{{- define "kubemirror.application" -}}
{{- $server := dict "port" (int .Values.ports.api) -}}
{{- $application := dict
      "kubemirror" (dict "resources" .Values.mirror)
      "server" $server
      "management" (dict "server" (dict "port" (int .Values.ports.management))) -}}
{{- if ne .Values.mode "cluster" -}}
{{- $_ := set $application.kubemirror "exit-on-change" true -}}
{{- end -}}
{{- if and (eq .Values.mode "cluster") .Values.autoscaling.enabled .Values.autoscaling.targetWatches -}}
{{/* The autoscaler tolerates a tenth. */}}
{{- $_ := set $application.kubemirror "watches" (dict "rebalance-above" (div (mul .Values.autoscaling.targetWatches 11) 10)) -}}
{{- end -}}
{{- if ne .Values.mode "sidecar" -}}
{{- $_ := set $server "address" "0.0.0.0" -}}
{{/* So long a Service may still send clients to a pod that ends. */}}
{{- $_ := set $application.kubemirror "shutdown" (dict "delay" "5s") -}}
{{- if include "kubemirror.tlsSecret" . -}}
{{- $_ := set $server "ssl" (dict "bundle" "kubemirror") -}}
{{- $keystore := dict "certificate" "/kubemirror/tls/tls.crt" "private-key" "/kubemirror/tls/tls.key" -}}
{{- $bundle := dict "reload-on-update" true "keystore" $keystore -}}
{{- $_ := set $application "spring" (dict "ssl" (dict "bundle" (dict "pem" (dict "kubemirror" $bundle)))) -}}
{{- end -}}
{{- end -}}
{{ toYaml (mergeOverwrite $application (deepCopy .Values.config)) }}
{{- end -}}
