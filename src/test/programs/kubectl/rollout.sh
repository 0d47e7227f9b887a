. ./setting.sh
kubectl rollout restart deployment/web
kubectl rollout status deployment/web --timeout=1m >progress &
until grep -qs Waiting progress; do sleep 0.1; done
# As its controller would, which the API server of the test does not have.
kubectl patch deployment web --subresource=status --type=merge -o name -p '{"status": {
  "observedGeneration": 2, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1}}' >/dev/null
wait
cat progress
kubectl rollout pause deployment/web
kubectl rollout resume deployment/web
