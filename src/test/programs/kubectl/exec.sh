. ./setting.sh
echo howdy >input

# kubectl 1.32 discards what arrives before it has created its streams, and says so: run it again.
run() {
    code=0
    kubectl "$@" <input >out 2>err || code=$?
    if grep -q 'Unknown stream id' err; then
        run "$@"
    else
        cat out err
        return "$code"
    fi
}

run exec web-1 -- echo hello
run exec -i web-1 -- cat
run exec web-1 -- sh -c 'echo wrong >&2; exit 3' || echo "exit code $?"
run cp settings.yaml "web-1:$HOME/copied.yaml"
cmp settings.yaml copied.yaml
