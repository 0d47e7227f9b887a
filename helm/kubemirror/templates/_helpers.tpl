{{- define "kubemirror.name" -}}
{{- if contains "kubemirror" .Release.Name -}}
{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-kubemirror" .Release.Name | trunc 52 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "kubemirror.selector" -}}
app.kubernetes.io/name: kubemirror
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "kubemirror.labels" -}}
{{ include "kubemirror.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The rule for one configured resource; what follows the first dot is a group, perhaps after a version. */}}
{{- define "kubemirror.rule" -}}
{{- $parts := splitn "." 2 .resource -}}
- apiGroups: [{{ regexReplaceAll "^v[0-9]+((alpha|beta)[0-9]+)?[.]" (default "" $parts._1) "" | quote }}]
  resources: [{{ $parts._0 | quote }}]
  verbs: ["get", "list", "watch"]
{{- end -}}

{{/* application.yaml: what the values name, and config over it. */}}
{{- define "kubemirror.application" -}}
{{- $application := dict "kubemirror" (dict "resources" .Values.resources) -}}
{{- if .Values.service.enabled -}}
{{- $_ := set $application "server" (dict "address" "0.0.0.0") -}}
{{- if .Values.allowUnauthenticated -}}
{{- $_ := set $application.kubemirror "allow-unauthenticated" true -}}
{{- end -}}
{{- if .Values.tls.secretName -}}
{{- $_ := set $application.server "ssl" (dict "bundle" "kubemirror") -}}
{{- $keystore := dict "certificate" "/kubemirror/tls/tls.crt" "private-key" "/kubemirror/tls/tls.key" -}}
{{- $bundle := dict "reload-on-update" true "keystore" $keystore -}}
{{- $_ := set $application "spring" (dict "ssl" (dict "bundle" (dict "pem" (dict "kubemirror" $bundle)))) -}}
{{- end -}}
{{- end -}}
{{ toYaml (mergeOverwrite $application .Values.config) }}
{{- end -}}
