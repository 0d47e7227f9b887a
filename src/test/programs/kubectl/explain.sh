. ./setting.sh
kubectl explain deployment.spec.replicas
kubectl explain configmap.data --output=plaintext-openapiv2
