. ./setting.sh
kubectl apply -f settings.yaml --dry-run=server
kubectl apply -f settings.yaml
kubectl apply -f settings.yaml
sed s/blue/green/ settings.yaml | kubectl apply -f -
kubectl get configmap settings -o jsonpath='{.data}{"\n"}'
sed s/blue/red/ settings.yaml | kubectl apply --server-side --force-conflicts -f -
kubectl get configmap settings -o jsonpath='{.data}{"\n"}'
