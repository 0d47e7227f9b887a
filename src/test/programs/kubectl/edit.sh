. ./setting.sh
EDITOR='sed -i s/hello/howdy/' kubectl edit configmap greeter
kubectl get configmap greeter -o jsonpath='{.data}{"\n"}'
