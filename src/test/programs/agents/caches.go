// Pods, changes of them, and subscribers of a cache: `caches create URL N`, `caches change URL N SECONDS` for 100 changes a second, and
// `caches subscribe URL|HOST:PORT N`, by a watch of Kubernetes or by the protocol of k8s-cache, each on a connection of its own. Subscribers
// decode what they get, and print once a second how many events and bytes they got, how many different sets of pods they have, how many
// pods the first has, and p50 and p99 of the age of the changes since the last line in milliseconds.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/obi/pkg/kube/kubecache/informer"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const (
	path     = "/api/v1/namespaces/default/pods"
	watch    = "/api/v1/pods?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
	writers  = 16
	interval = 10 * time.Millisecond
)

// What k8s-cache sends of a pod.
type pod struct {
	Metadata struct {
		Name, Namespace, UID, CreationTimestamp string
		Labels, Annotations                     map[string]string
		OwnerReferences                         []struct{ Kind, Name string }
	}
	Spec struct {
		NodeName   string
		Containers []struct {
			Name string
			Env  []struct{ Name, Value string }
		}
	}
	Status struct {
		HostIP            string
		PodIPs            []struct{ IP string }
		ContainerStatuses []struct{ Name, ContainerID string }
	}
}

type subscriber struct {
	pods map[string]uint64
	hash uint64
}

var (
	mutex  sync.Mutex
	events int
	bytes  int
	ages   []time.Duration
	seed   = maphash.MakeSeed()
)

type counted struct{ net.Conn }

func (c counted) Read(to []byte) (int, error) {
	n, err := c.Conn.Read(to)
	mutex.Lock()
	bytes += n
	mutex.Unlock()
	return n, err
}

func dial(ctx context.Context, address string) (net.Conn, error) {
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	return counted{connection}, err
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// Takes the changed label of a pod; one without is deleted.
func (s *subscriber) take(name, changed string) {
	now := time.Now()
	mutex.Lock()
	defer mutex.Unlock()
	events++
	s.hash ^= s.pods[name]
	delete(s.pods, name)
	if changed != "" {
		s.pods[name] = maphash.String(seed, name+changed)
		s.hash ^= s.pods[name]
	}
	if nanos, err := strconv.ParseInt(changed, 10, 64); err == nil && nanos > 0 {
		ages = append(ages, now.Sub(time.Unix(0, nanos)))
	}
}

func (s *subscriber) watch(url string) {
	client := http.Client{Transport: &http.Transport{DisableCompression: true,
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) { return dial(ctx, address) }}}
	response, err := client.Get(url + watch)
	check(err)
	for decoder := json.NewDecoder(response.Body); ; {
		var event struct {
			Type   string
			Object pod
		}
		check(decoder.Decode(&event))
		switch event.Type {
		case "ADDED", "MODIFIED":
			s.take(event.Object.Metadata.Name, event.Object.Metadata.Labels["changed"])
		case "DELETED":
			s.take(event.Object.Metadata.Name, "")
		}
	}
}

func (s *subscriber) subscribe(address string) {
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(dial))
	check(err)
	stream, err := informer.NewEventStreamServiceClient(connection).Subscribe(context.Background(), &informer.SubscribeMessage{})
	check(err)
	for {
		event, err := stream.Recv()
		check(err)
		if event.GetResource().GetKind() == "Pod" {
			changed := event.Resource.Labels["changed"]
			if event.Type == informer.EventType_DELETED {
				changed = ""
			}
			s.take(event.Resource.Name, changed)
		}
	}
}

func report(all []*subscriber) {
	for range time.Tick(time.Second) {
		mutex.Lock()
		states := map[uint64]bool{}
		for _, s := range all {
			states[s.hash] = true
		}
		seen, pods := ages, len(all[0].pods)
		ages = nil
		line := fmt.Sprint(events, bytes, len(states), pods)
		mutex.Unlock()
		slices.Sort(seen)
		if n := len(seen); n > 0 {
			line += fmt.Sprint(" ", seen[n/2].Milliseconds(), " ", seen[n*99/100].Milliseconds())
		}
		fmt.Println(line)
	}
}

func send(method, url, kind, body string) {
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	check(err)
	request.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(request)
	check(err)
	check(response.Body.Close())
	if response.StatusCode >= 300 {
		panic(response.Status)
	}
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	check(err)
	return n
}

// A pod of 7 KB.
func create(url string, i int) {
	container := func(name string) string {
		env := ""
		for j := range 4 {
			env += fmt.Sprintf(`{"name":"SETTING_%d","value":"value-%d-of-%d"},`, j, j, i)
		}
		return fmt.Sprintf(`{"name":"%s","image":"registry.example.com/team/%s:1.27.%d","env":[%s{"name":"OTEL_SERVICE_NAME","value":"service-%d"}]}`,
			name, name, i, env, i%50)
	}
	status := func(name string) string {
		return fmt.Sprintf(`{"name":"%s","image":"i","imageID":"i","ready":true,"restartCount":0,"containerID":"containerd://%064d"}`, name, i)
	}
	send("POST", url+path, "application/json", fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-%d","labels":{"changed":"0",`+
		`"app.kubernetes.io/name":"service-%d","pod-template-hash":"5d4f8c7b9d"},"annotations":{"prometheus.io/scrape":"true"},`+
		`"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"service-%d","uid":"u"}]},`+
		`"spec":{"nodeName":"node-%d","containers":[%s,%s]}}`, i, i%50, i%50, i%200, container("application"), container("sidecar")))
	send("PATCH", fmt.Sprint(url, path, "/pod-", i, "/status"), "application/merge-patch+json", fmt.Sprintf(`{"status":{"phase":"Running",`+
		`"hostIP":"192.0.2.%d","podIPs":[{"ip":"10.1.%d.%d"}],"containerStatuses":[%s,%s]}}`, i%200+1, i/250, i%250+1, status("application"), status("sidecar")))
}

func main() {
	url, n := os.Args[2], number(os.Args[3])
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = writers
	var group sync.WaitGroup
	work := make(chan int)
	for range writers {
		group.Go(func() {
			for i := range work {
				if os.Args[1] == "create" {
					create(url, i)
				} else {
					send("PATCH", fmt.Sprint(url, path, "/pod-", i), "application/merge-patch+json",
						fmt.Sprintf(`{"metadata":{"labels":{"changed":"%d"}}}`, time.Now().UnixNano()))
				}
			}
		})
	}
	switch os.Args[1] {
	case "create":
		for i := range n {
			work <- i
		}
	case "change":
		ticker := time.NewTicker(interval)
		for i := range number(os.Args[4]) * 100 {
			<-ticker.C
			work <- i * 7 % n
		}
	case "subscribe":
		all := make([]*subscriber, n)
		for i := range all {
			all[i] = &subscriber{pods: map[string]uint64{}}
			if strings.Contains(url, "://") {
				go all[i].watch(url)
			} else {
				go all[i].subscribe(url)
			}
		}
		report(all)
	}
	close(work)
	group.Wait()
}
