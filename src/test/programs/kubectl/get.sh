. ./setting.sh
kubectl get pods,services,deployments -o name
kubectl get pod web-1 -o jsonpath='{.status.podIP}{"\n"}'
kubectl get configmaps -l app=none
