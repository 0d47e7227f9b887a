{{/*
What a pod needs for a mirror. Another chart that depends on this one, with mode: sidecar, includes
in its pod template
  metadata.labels          kubemirror.podLabels
  spec.serviceAccountName  kubemirror.serviceAccountName, or serviceAccount.name says which it has
  spec.initContainers      kubemirror.container, before all that read the mirror
  spec.volumes             kubemirror.volumes
each with .Subcharts.kubemirror as its context.
*/}}

{{/* The endpoint for heap dumps writes to the directory for temporary files, too. */}}
{{- define "kubemirror.diagnosticOptions" -}}
{{- if .Values.diagnostics.volume.enabled -}}
-XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=/diagnostics -Djava.io.tmpdir=/diagnostics
{{- with .Values.diagnostics.recording }} -XX:FlightRecorderOptions:repository=/diagnostics -XX:StartFlightRecording:filename=/diagnostics,dumponexit=true,maxsize={{ . }}{{- end }}
{{- end -}}
{{- end -}}

{{/* The name of an image with the registry of all images, if there is one. */}}
{{- define "kubemirror.image" -}}
{{- $root := first . -}}
{{- $name := last . -}}
{{- with dig "imageRegistry" "" ($root.Values.global | default dict) -}}
{{- $name = printf "%s/%s" . (regexReplaceAll "^[^/]*[.:][^/]*/" $name "") -}}
{{- end -}}
{{ $name }}
{{- end -}}

{{/* Secrets by their names or as objects. */}}
{{- define "kubemirror.pullSecrets" -}}
{{- with .Values.imagePullSecrets -}}
imagePullSecrets:
{{- range . }}
  - {{ ternary (dict "name" .) . (kindIs "string" .) | toJson }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* A probe of a group of health, with the fields of the chart and those in their place. */}}
{{- define "kubemirror.probe" -}}
{{- $http := dict "path" (printf "/actuator/health/%s" (index . 0)) "port" "mirror-metrics" -}}
{{- toYaml (mergeOverwrite (dict "httpGet" $http) (index . 1) (index . 2)) -}}
{{- end -}}

{{/* For pods of other charts, and of injection. */}}
{{- define "kubemirror.container" -}}
{{- if ne .Values.mode "sidecar" -}}
{{- fail (printf "kubemirror.container: mode: %s has pods of its own; set mode: sidecar for the pods of another chart" .Values.mode) -}}
{{- end -}}
{{- include "kubemirror.ownContainer" . -}}
{{- end -}}

{{- define "kubemirror.ownContainer" -}}
{{- $sidecar := eq .Values.mode "sidecar" -}}
- name: kubemirror
  image: "{{ include "kubemirror.image" (list . .Values.image.repository) }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ with .Values.image.digest }}@{{ . }}{{ end }}"
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  {{- if $sidecar }}
  {{- if semverCompare "<1.29-0" .Capabilities.KubeVersion.Version }}
  {{- fail "mode: sidecar requires Kubernetes 1.29 or newer, where init containers can have a restartPolicy; use mode: node or mode: cluster" }}
  {{- end }}
  # An init container that goes on: what comes after it starts when its start-up probe succeeds,
  # and it ends after the application.
  restartPolicy: Always
  {{- end }}
  securityContext:
    {{- toYaml .Values.securityContext | nindent 4 }}
  env:
    - name: NODE_NAME
      valueFrom:
        fieldRef:
          fieldPath: spec.nodeName
    - name: POD_NAMESPACE
      valueFrom:
        fieldRef:
          fieldPath: metadata.namespace
    - name: JDK_JAVA_OPTIONS
      value: {{ list "@jvm.options" (ternary "" "@node.options" $sidecar) (include "kubemirror.diagnosticOptions" .) .Values.javaOptions | compact | join " " | quote }}
    {{- if .Values.persistence.enabled }}
    - name: KUBEMIRROR_PERSISTENCE_DIRECTORY
      value: /kubemirror/mirrors/files
    {{- if not .Values.persistence.volume }}
    - name: KUBEMIRROR_PERSISTENCE_MAXBYTES
      value: {{ include "kubemirror.persistenceBytes" . | quote }}
    {{- end }}
    {{- end }}
    {{- with .Values.env }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.lifecycle }}
  lifecycle:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.envFrom }}
  envFrom:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  ports:
    {{- if not $sidecar }}
    - name: mirror-api
      containerPort: {{ .Values.ports.api }}
    {{- end }}
    - name: mirror-metrics
      containerPort: {{ .Values.ports.management }}
  {{- if $sidecar }}
  # The application finds a mirror that knows everything.
  startupProbe:
    {{- include "kubemirror.probe" (list "readiness" (dict "periodSeconds" 1 "timeoutSeconds" 5 "failureThreshold" .Values.startupSeconds) .Values.probes.startup) | nindent 4 }}
  {{- else }}
  # Liveness waits for the start; the first synchronization concerns readiness alone.
  startupProbe:
    {{- include "kubemirror.probe" (list "liveness" (dict "periodSeconds" 1 "timeoutSeconds" 5 "failureThreshold" 120) .Values.probes.startup) | nindent 4 }}
  {{- end }}
  livenessProbe:
    {{- include "kubemirror.probe" (list "liveness" (dict "periodSeconds" 10 "timeoutSeconds" 5) .Values.probes.liveness) | nindent 4 }}
  readinessProbe:
    {{- include "kubemirror.probe" (list "readiness" (dict "periodSeconds" 5 "timeoutSeconds" 5) .Values.probes.readiness) | nindent 4 }}
  resources:
    {{- toYaml .Values.resources | nindent 4 }}
  volumeMounts:
    - name: kubemirror-config
      mountPath: /kubemirror/config
      readOnly: true
    - name: kubemirror-tmp
      mountPath: /tmp
    - name: kubemirror-token
      mountPath: /var/run/secrets/kubernetes.io/serviceaccount
      readOnly: true
    {{- if and (not $sidecar) (include "kubemirror.tlsSecret" .) }}
    - name: kubemirror-tls
      mountPath: /kubemirror/tls
      readOnly: true
    {{- end }}
    {{- if .Values.persistence.enabled }}
    - name: kubemirror-mirrors
      mountPath: /kubemirror/mirrors
    {{- end }}
    {{- if .Values.diagnostics.volume.enabled }}
    - name: kubemirror-diagnostics
      mountPath: /diagnostics
    {{- end }}
    {{- with .Values.volumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- define "kubemirror.volumes" -}}
- name: kubemirror-config
  configMap:
    name: {{ include "kubemirror.name" . }}
- name: kubemirror-tmp
  emptyDir:
    sizeLimit: 16Mi
# Mounted by the mirror alone, so that with automountServiceAccountToken: false nothing else in the
# pod has its permissions.
- name: kubemirror-token
  projected:
    sources:
      - serviceAccountToken:
          path: token
          expirationSeconds: 3607
      - configMap:
          name: kube-root-ca.crt
          items:
            - key: ca.crt
              path: ca.crt
      - downwardAPI:
          items:
            - path: namespace
              fieldRef:
                fieldPath: metadata.namespace
{{- if and (ne .Values.mode "sidecar") (include "kubemirror.tlsSecret" .) }}
- name: kubemirror-tls
  secret:
    secretName: {{ include "kubemirror.tlsSecret" . }}
    defaultMode: 0440
{{- end }}
{{- if .Values.persistence.enabled }}
- name: kubemirror-mirrors
  {{- with .Values.persistence.volume }}
  {{- toYaml . | nindent 2 }}
  {{- else }}
  emptyDir:
    sizeLimit: {{ .Values.persistence.sizeLimit }}
  {{- end }}
{{- end }}
{{- with .Values.diagnostics.volume }}
{{- if .enabled }}
- name: kubemirror-diagnostics
  {{- toYaml (.source | default (dict "emptyDir" (dict "sizeLimit" .sizeLimit))) | nindent 2 }}
{{- end }}
{{- end }}
{{- with .Values.volumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Nine tenths of the limit of the volume, beyond which the kubelet evicts the pod. */}}
{{- define "kubemirror.persistenceBytes" -}}
{{- $mebibytes := trimSuffix "Mi" .Values.persistence.sizeLimit | int -}}
{{- if hasSuffix "Gi" .Values.persistence.sizeLimit -}}
{{- $mebibytes = mul 1024 (trimSuffix "Gi" .Values.persistence.sizeLimit | int) -}}
{{- end -}}
{{ div (mul $mebibytes 9) 10 }}MB
{{- end -}}

{{/* The pod template of a mirror with pods of its own. */}}
{{- define "kubemirror.pod" -}}
metadata:
  {{- $own := include "kubemirror.podLabels" . | fromYaml }}
  labels:
    {{- /* Without the version of the chart, which would roll the pods. */}}
    {{- toYaml (merge (omit (include "kubemirror.labels" . | fromYaml) "helm.sh/chart") $own .Values.podLabels) | nindent 4 }}
  {{- /* In mode cluster, a changed configuration starts new pods one after the other. Others have exit-on-change. */}}
  {{- $annotations := .Values.podAnnotations }}
  {{- if eq .Values.mode "cluster" }}
  {{- $annotations = merge (dict "checksum/kubemirror" (include "kubemirror.application" . | sha256sum)) $annotations }}
  {{- end }}
  {{- with $annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "kubemirror.serviceAccountName" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  {{- if .Values.hostNetwork }}
  hostNetwork: true
  {{- end }}
  dnsPolicy: {{ .Values.dnsPolicy | default (ternary "ClusterFirstWithHostNet" "ClusterFirst" .Values.hostNetwork) }}
  {{- with .Values.dnsConfig }}
  dnsConfig:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- toYaml .Values.podSecurityContext | nindent 4 }}
  {{- include "kubemirror.pullSecrets" . | nindent 2 }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.runtimeClassName }}
  runtimeClassName: {{ . }}
  {{- end }}
  {{- with .Values.initContainers }}
  initContainers:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    {{- include "kubemirror.ownContainer" . | nindent 4 }}
    {{- with .Values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    {{- include "kubemirror.volumes" . | nindent 4 }}
  {{- if and (eq .Values.mode "cluster") .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- range .Values.topologySpreadConstraints }}
    - {{ toYaml . | nindent 6 | trim }}
      labelSelector:
        matchLabels:
          {{- include "kubemirror.selector" $ | nindent 10 }}
    {{- end }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
