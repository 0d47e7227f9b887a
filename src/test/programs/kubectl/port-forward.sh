. ./setting.sh
kubectl port-forward web-1 :9 >forwarded &
until grep -qs Forwarding forwarded; do sleep 0.1; done
port=$(sed -n 's/.*127.0.0.1:\([0-9]*\) .*/\1/p' forwarded)
kubectl --server "http://127.0.0.1:$port" get --raw /actuator/health/liveness
kill $!
