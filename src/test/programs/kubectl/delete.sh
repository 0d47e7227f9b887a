. ./setting.sh
kubectl create configmap one
kubectl create configmap two
kubectl label configmap one two app=tried
kubectl delete configmap one
kubectl get configmap -l app=tried -o name
kubectl delete configmaps -l app=tried
kubectl get configmap -l app=tried -o name
