{{- define "kubemirror.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{/* Cluster roles have no namespace to tell them apart. */}}
{{- define "kubemirror.roleName" -}}
{{ printf "%s-%s" .Release.Namespace (include "kubemirror.name" .) }}
{{- end -}}

{{/* The service account of the pod that the mirror runs in. */}}
{{- define "kubemirror.serviceAccountName" -}}
{{ .Values.serviceAccount.name | default (include "kubemirror.name" .) }}
{{- end -}}

{{/* Whom the mirror's metrics are read from; pods with a sidecar carry it too. */}}
{{- define "kubemirror.podLabels" -}}
kubemirror.io/mirror: {{ include "kubemirror.name" . }}
{{- end -}}

{{- define "kubemirror.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "kubemirror.labels" -}}
{{ include "kubemirror.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Of everything that has a namespace and is there once. */}}
{{- define "kubemirror.metadata" -}}
name: {{ include "kubemirror.name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "kubemirror.labels" . | nindent 2 }}
{{- end -}}
