# The one setting.
alias kubectl='kubectl --server "$SERVER" --namespace "$NAMESPACE"'
