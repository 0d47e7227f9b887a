. ./setting.sh
kubectl auth can-i create configmaps
kubectl auth can-i delete nodes || echo "exit code $?"
