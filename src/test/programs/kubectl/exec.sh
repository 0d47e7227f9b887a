. ./setting.sh
kubectl exec web-1 -- echo hello
echo howdy | kubectl exec -i web-1 -- cat
kubectl exec web-1 -- sh -c 'echo wrong >&2; exit 3' || echo "exit code $?"
kubectl cp settings.yaml "web-1:$HOME/copied.yaml"
cmp settings.yaml copied.yaml
