{{- define "kubemirror.chartName" -}}
{{ .Values.nameOverride | default .Chart.Name }}
{{- end -}}

{{- define "kubemirror.name" -}}
{{- $chart := include "kubemirror.chartName" . -}}
{{- $name := ternary .Release.Name (printf "%s-%s" .Release.Name $chart) (contains $chart .Release.Name) -}}
{{ .Values.fullnameOverride | default $name | trunc 52 | trimSuffix "-" }}
{{- end -}}

{{/* Objects without a namespace need names that tell the releases apart. */}}
{{- define "kubemirror.globalName" -}}
{{ printf "%s-%s" .Release.Namespace (include "kubemirror.name" .) }}
{{- end -}}

{{/* The service account of the pod that the mirror runs in. */}}
{{- define "kubemirror.serviceAccountName" -}}
{{ .Values.serviceAccount.name | default (include "kubemirror.name" .) }}
{{- end -}}

{{/* The namespaces of the pods that the mirror runs in. */}}
{{- define "kubemirror.podNamespaces" -}}
{{- $injected := ternary .Values.injection.namespaces list .Values.injection.enabled -}}
{{ toYaml ($injected | default (list .Release.Namespace)) }}
{{- end -}}

{{/* The Secret with the certificate; empty without TLS. */}}
{{- define "kubemirror.tlsSecret" -}}
{{- $issued := ternary (printf "%s-tls" (include "kubemirror.name" .)) "" .Values.tls.certificate.enabled -}}
{{ .Values.tls.secretName | default $issued }}
{{- end -}}

{{/* The Service's name in the cluster. */}}
{{- define "kubemirror.host" -}}
{{ include "kubemirror.name" . }}.{{ .Release.Namespace }}.svc
{{- end -}}

{{- define "kubemirror.url" -}}
{{ ternary "http" "https" (empty (include "kubemirror.tlsSecret" .)) }}://{{ include "kubemirror.host" . }}:{{ .Values.service.port }}
{{- end -}}

{{/* Pods whose metrics are read; pods with a sidecar have it, too. */}}
{{- define "kubemirror.podLabels" -}}
kubemirror.io/mirror: {{ include "kubemirror.name" . }}
{{- end -}}

{{- define "kubemirror.selector" -}}
app.kubernetes.io/name: {{ include "kubemirror.chartName" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "kubemirror.labels" -}}
{{- $own := dict
      "app.kubernetes.io/version" .Chart.AppVersion
      "app.kubernetes.io/managed-by" .Release.Service
      "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_") -}}
{{ toYaml (merge $own (include "kubemirror.selector" . | fromYaml) .Values.commonLabels) }}
{{- end -}}

{{/*
The metadata of an object: root is the context of the chart. Optional are name or the suffix of the
usual name, namespace, global: true for objects without a namespace, labels, and annotations.
*/}}
{{- define "kubemirror.metadata" -}}
{{- $labels := merge (dict) (.labels | default dict) (include "kubemirror.labels" .root | fromYaml) -}}
{{- $annotations := merge (dict) (.annotations | default dict) .root.Values.commonAnnotations -}}
name: {{ .name | default (printf "%s%s" (include "kubemirror.name" .root) (.suffix | default "")) }}
{{- if not .global }}
namespace: {{ .namespace | default .root.Release.Namespace }}
{{- end }}
labels:
  {{- toYaml $labels | nindent 2 }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
