{{/* What follows the first dot of a resource is its group, perhaps after a version. */}}
{{- define "kubemirror.group" -}}
{{- $parts := splitn "." 2 .resource -}}
{{ regexReplaceAll "^v[0-9]+((alpha|beta)[0-9]+)?[.]" (default "" $parts._1) "" }}
{{- end -}}

{{/* The rule for one configured resource. */}}
{{- define "kubemirror.rule" -}}
- apiGroups: [{{ include "kubemirror.group" . | quote }}]
  resources: [{{ (splitn "." 2 .resource)._0 | quote }}]
  verbs: ["get", "list", "watch"]
{{- end -}}

{{/* The rule for the definitions of custom resources, which tell the columns of tables. */}}
{{- define "kubemirror.definitionsRule" -}}
- apiGroups: ["apiextensions.k8s.io"]
  resources: ["customresourcedefinitions"]
  resourceNames: {{ toJson . }}
  verbs: ["get"]
{{- end -}}

{{/* The service account of the mirror; with injection, those of the namespaces in the list. */}}
{{- define "kubemirror.subjects" -}}
{{- $root := first . -}}
subjects:
{{- if $root.Values.injection.enabled }}
{{- range last . }}
  - apiGroup: rbac.authorization.k8s.io
    kind: Group
    name: system:serviceaccounts:{{ . }}
{{- end }}
{{- else }}
  - kind: ServiceAccount
    name: {{ include "kubemirror.serviceAccountName" $root }}
    namespace: {{ $root.Release.Namespace }}
{{- end }}
{{- end -}}

{{/* Not empty if the API server reviews tokens or permissions of clients. */}}
{{- define "kubemirror.reviews" -}}
{{- $access := dig "kubemirror" "access" dict .Values.config -}}
{{- if $access.authentication -}}
true
{{- end -}}
{{- end -}}
