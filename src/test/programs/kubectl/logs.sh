. ./setting.sh
kubectl logs web-1
: >followed
kubectl logs -f web-1 >>followed &
until grep -q following followed; do sleep 0.1; done
kill $!
cat followed
