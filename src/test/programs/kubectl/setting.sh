# The one setting.
kubectl() { command kubectl --server "$SERVER" --namespace "$NAMESPACE" "$@"; }
