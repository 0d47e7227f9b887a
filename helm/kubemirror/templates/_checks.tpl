{{/*
What the schema cannot say: rules about several values, and errors that name the remedy. Rendered
with the roles, which depend on all of it.
*/}}
{{- define "kubemirror.checks" -}}
{{- $own := ne .Values.mode "sidecar" -}}
{{- $kubemirror := .Values.config.kubemirror | default dict -}}
{{- if eq (int .Values.ports.api) (int .Values.ports.management) -}}
{{- fail "ports.api and ports.management must differ: change one of them" -}}
{{- end -}}
{{- range $path, $remedy := include "kubemirror.ownedByChart" . | fromYaml -}}
{{- if include "kubemirror.configured" (list $.Values.config $path) -}}
{{- fail (printf "config.%s: %s" $path $remedy) -}}
{{- end -}}
{{- end -}}
{{- range $index, $resource := .Values.mirror -}}
{{- include "kubemirror.checkResource" (list $ $index $resource) -}}
{{- end -}}
{{- if not .Values.diagnostics.volume.enabled -}}
{{- if .Values.diagnostics.recording -}}
{{- fail "diagnostics.recording requires diagnostics.volume.enabled: the recording is written to that volume" -}}
{{- end -}}
{{- if ne (toString (dig "management" "endpoint" "heapdump" "access" "none" .Values.config)) "none" -}}
{{- fail "config.management.endpoint.heapdump.access requires diagnostics.volume.enabled: a heap dump does not fit into /tmp of the pod" -}}
{{- end -}}
{{- end -}}
{{- if not (or .Values.serviceAccount.create .Values.serviceAccount.name .Values.injection.enabled) -}}
{{- fail "serviceAccount.create: false requires serviceAccount.name: name the service account of the pod, which the roles are bound to" -}}
{{- end -}}
{{- if and .Values.tls.certificate.enabled (not .Values.tls.certificate.issuerRef.name) -}}
{{- fail "tls.certificate.enabled requires tls.certificate.issuerRef: name an issuer of cert-manager, such as {kind: ClusterIssuer, name: internal}" -}}
{{- end -}}
{{- if and $own (not (include "kubemirror.tlsSecret" .)) (not (dig "access" "authentication" list $kubemirror)) (ne (toString (get $kubemirror "allow-unauthenticated")) "true") -}}
{{- fail (printf "mode: %s serves other pods: set tls.secretName or tls.certificate.enabled, let clients authenticate with config.kubemirror.access.authentication, or state with config.kubemirror.allow-unauthenticated: true that something else protects the mirrored objects" .Values.mode) -}}
{{- end -}}
{{- if and $own (eq (toString (dig "pass-through" "mode" "" $kubemirror)) "own") -}}
{{- fail (printf "config.kubemirror.pass-through.mode: with own, every client that can reach kubemirror of mode: %s would act with its identity; use client, or set mode: sidecar" .Values.mode) -}}
{{- end -}}
{{- if $own -}}
{{- $shutdown := (include "kubemirror.application" . | fromYaml).kubemirror.shutdown | default dict -}}
{{- $needed := add 10 (include "kubemirror.seconds" (get $shutdown "delay" | default "0s")) (include "kubemirror.seconds" (get $shutdown "watch-spread" | default "2s")) -}}
{{- if lt (int .Values.terminationGracePeriodSeconds) (int $needed) -}}
{{- fail (printf "terminationGracePeriodSeconds is %d, less than config.kubemirror.shutdown.delay and watch-spread with ten seconds: use %d or more" (int .Values.terminationGracePeriodSeconds) (int $needed)) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled (not .Values.networkPolicy.from) -}}
{{- fail "networkPolicy.enabled requires networkPolicy.from: list the peers that may read, or [{namespaceSelector: {}}] for all pods" -}}
{{- end -}}
{{- if and $own .Values.networkPolicy.enabled (or .Values.podMonitor.enabled .Values.serviceMonitor.enabled) (not .Values.networkPolicy.metricsFrom) -}}
{{- fail "networkPolicy.enabled keeps Prometheus from the metrics that a monitor reads: set networkPolicy.metricsFrom, such as [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]" -}}
{{- end -}}
{{- $several := and (eq .Values.mode "cluster") (or .Values.autoscaling.enabled (gt (int .Values.replicaCount) 1)) -}}
{{- if and .Values.persistence.enabled .Values.persistence.volume.persistentVolumeClaim (or $several (eq .Values.mode "node")) -}}
{{- fail "persistence.volume.persistentVolumeClaim: only one pod can store its mirrors in a claim: set replicaCount: 1 with mode: cluster, or use an emptyDir" -}}
{{- end -}}
{{- with .Values.autoscaling -}}
{{- if and .enabled (not (or .targetCPU .targetWatches)) -}}
{{- fail "autoscaling.enabled requires a target: set autoscaling.targetCPU or autoscaling.targetWatches" -}}
{{- end -}}
{{- if gt (int .minReplicas) (int .maxReplicas) -}}
{{- fail (printf "autoscaling.minReplicas is %d and more than autoscaling.maxReplicas: raise maxReplicas" (int .minReplicas)) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.serviceMonitor.enabled (not $own) -}}
{{- fail "serviceMonitor.enabled: mode: sidecar has no Service; set podMonitor.enabled instead" -}}
{{- end -}}
{{- if and .Values.serviceMonitor.enabled .Values.podMonitor.enabled -}}
{{- fail "serviceMonitor.enabled and podMonitor.enabled would count everything twice: disable one of them" -}}
{{- end -}}
{{- if and .Values.injection.enabled $own -}}
{{- fail (printf "injection.enabled: pods of mode: %s have no application; set mode: sidecar" .Values.mode) -}}
{{- end -}}
{{- if and .Values.injection.enabled (semverCompare "<1.36-0" .Capabilities.KubeVersion.Version) -}}
{{- fail "injection.enabled requires Kubernetes 1.36 or newer, which has MutatingAdmissionPolicies; include kubemirror.container in the chart of the application instead, see helm/example" -}}
{{- end -}}
{{- end -}}

{{/* The seconds of a duration in seconds or minutes, 0 for other notations. */}}
{{- define "kubemirror.seconds" -}}
{{- $text := toString . -}}
{{- if regexMatch "^[0-9]+m$" $text -}}
{{- mul 60 (trimSuffix "m" $text | int) -}}
{{- else if regexMatch "^[0-9]+s?$" $text -}}
{{- trimSuffix "s" $text | int -}}
{{- else -}}
0
{{- end -}}
{{- end -}}

{{/* Properties that other objects of the chart depend on. */}}
{{- define "kubemirror.ownedByChart" -}}
server.port: set ports.api instead, which container and Service follow
management.server.port: set ports.management instead, which container, probes, and monitors follow
management.server.ssl: remove it, because probes and monitors read http
management.server.base-path: remove it, because probes and monitors read /actuator
management.endpoints.web.base-path: remove it, because probes and monitors read /actuator
{{- end -}}

{{/* Not empty if a configuration has a property, whose name may be written with dots. */}}
{{- define "kubemirror.configured" -}}
{{- $path := last . -}}
{{- range $name, $value := first . -}}
{{- if or (eq $name $path) (hasPrefix (printf "%s." $path) $name) -}}
true
{{- else if and (hasPrefix (printf "%s." $name) $path) (kindIs "map" $value) -}}
{{ include "kubemirror.configured" (list $value (trimPrefix (printf "%s." $name) $path)) }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "kubemirror.checkResource" -}}
{{- $root := index . 0 -}}
{{- $where := printf "mirror[%d]" (index . 1) -}}
{{- $resource := index . 2 -}}
{{- if not (kindIs "map" $resource) -}}
{{- fail (printf "%s: write it as a map: {resource: %v}" $where $resource) -}}
{{- end -}}
{{- $name := $resource.resource -}}
{{- $plural := first (splitList "." $name) -}}
{{- $pattern := hasPrefix "*" $name -}}
{{- if not (or (has $name (list "*" "*.")) (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\.?$" (trimPrefix "*." $name))) -}}
{{- fail (printf "%s.resource: %q is not the plural of a type in lower case with its group: write pods, deployments.apps, or widgets.v1.example.com" $where $name) -}}
{{- end -}}
{{- range $resource.namespaces -}}
{{- if not (regexMatch "^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?|\\$\\{POD_NAMESPACE\\})$" .) -}}
{{- fail (printf "%s.namespaces: %q is not the name of a namespace; ${POD_NAMESPACE} is that of the pod" $where .) -}}
{{- end -}}
{{- end -}}
{{- if not (or (not $root.Values.rbac.create) $pattern $resource.etcd (include "kubemirror.group" $resource) (has $plural (include "kubemirror.coreTypes" . | fromYamlArray))) -}}
{{- $group := get (include "kubemirror.typesByGroup" . | fromYaml) $plural | default "GROUP" -}}
{{- fail (printf "%s.resource: %s is not in the core group, and a role for it would grant nothing: write %s.%s%s" $where $name $plural $group (ternary " with the group that kubectl api-resources shows" "" (eq $group "GROUP"))) -}}
{{- end -}}
{{- if and (regexMatch "^secrets([.]v1)?[.]?$" $name) (ne (toString (dig "kubemirror" "allow-secrets" false $root.Values.config)) "true") -}}
{{- fail (printf "%s.resource: every client that may read would read secrets: remove it, or set config.kubemirror.allow-secrets: true" $where) -}}
{{- end -}}
{{- end -}}

{{- define "kubemirror.coreTypes" -}}
[configmaps, endpoints, events, limitranges, namespaces, nodes, persistentvolumeclaims, persistentvolumes, pods, podtemplates, replicationcontrollers, resourcequotas, secrets, serviceaccounts, services]
{{- end -}}

{{/* Types of other groups that are often written without the group. */}}
{{- define "kubemirror.typesByGroup" -}}
controllerrevisions: apps
daemonsets: apps
deployments: apps
replicasets: apps
statefulsets: apps
cronjobs: batch
jobs: batch
leases: coordination.k8s.io
endpointslices: discovery.k8s.io
ingressclasses: networking.k8s.io
ingresses: networking.k8s.io
networkpolicies: networking.k8s.io
poddisruptionbudgets: policy
clusterrolebindings: rbac.authorization.k8s.io
clusterroles: rbac.authorization.k8s.io
rolebindings: rbac.authorization.k8s.io
roles: rbac.authorization.k8s.io
priorityclasses: scheduling.k8s.io
storageclasses: storage.k8s.io
customresourcedefinitions: apiextensions.k8s.io
horizontalpodautoscalers: autoscaling
{{- end -}}
