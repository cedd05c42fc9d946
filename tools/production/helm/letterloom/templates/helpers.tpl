{{- define "letterloom.labels" -}}
app.kubernetes.io/name: letterloom
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "letterloom.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* The environment of every program. */}}
{{- define "letterloom.env" -}}
- name: LETTERLOOM_KEYS
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secretName }}
      key: LETTERLOOM_KEYS
- name: TEMPORAL_API_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secretName }}
      key: TEMPORAL_API_KEY
      optional: true
- name: TEMPORAL_ADDRESS
  value: {{ required "temporal.address is missing" .Values.temporal.address | quote }}
- name: TEMPORAL_NAMESPACE
  value: {{ .Values.temporal.namespace | quote }}
- name: PUBLIC_URL
  value: {{ required "publicUrl is missing" .Values.publicUrl | quote }}
- name: INTERNAL_HOST
  value: 0.0.0.0
- name: INTERNAL_PORT
  value: "9464"
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "letterloom.databaseUrl" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .root.Values.secretName }}
      key: {{ .key }}
{{- end -}}

{{- define "letterloom.probes" -}}
livenessProbe:
  httpGet:
    path: /livez
    port: internal
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet:
    path: /readyz
    port: internal
  periodSeconds: 5
  timeoutSeconds: 5
startupProbe:
  httpGet:
    path: /livez
    port: internal
  periodSeconds: 2
  failureThreshold: 60
{{- end -}}

{{- define "letterloom.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 1000
capabilities:
  drop:
    - ALL
{{- end -}}
