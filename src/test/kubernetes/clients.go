// Clients of client-go, each with a connection pool of its own and five informers: pods, nodes, leases, replica sets, deployments.
//
// Arguments: KUBECONFIG COUNT URL. The kubeconfig is of the API server, and URL is where the informers read. Prints "synced" with
// the seconds when all of them have everything. Then reads commands from its input, and answers each with one line:
//
//	count    prints, since the last one: events that handlers received, bytes that connections received, requests,
//	         and how old a stamp was when a handler received it, of the median and of one in a hundred
//	compare  stops the stamps, and prints how many objects of how many the informers have in another revision than the API server,
//	         or do not have, when there are none, or after a minute
//
// With the arguments KUBECONFIG populate NODES DEPLOYMENTS REPLICAS, it creates nodes, and deployments when these are ready.
package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const stamp = "kubemirror.example/stamp"

var (
	events, bytes, requests atomic.Int64
	quiet                   atomic.Bool
	lock                    sync.Mutex
	ages                    []time.Duration
)

// A connection that counts what it receives.
type counted struct{ net.Conn }

func (c counted) Read(buffer []byte) (int, error) {
	n, err := c.Conn.Read(buffer)
	bytes.Add(int64(n))
	return n, err
}

type counting struct{ http.RoundTripper }

func (c counting) RoundTrip(request *http.Request) (*http.Response, error) {
	requests.Add(1)
	return c.RoundTripper.RoundTrip(request)
}

// A type, and how to get at it.
type resource struct {
	name   string
	object runtime.Object
	client func(*kubernetes.Clientset) rest.Interface
}

var resources = []resource{
	{"pods", &corev1.Pod{}, func(c *kubernetes.Clientset) rest.Interface { return c.CoreV1().RESTClient() }},
	{"nodes", &corev1.Node{}, func(c *kubernetes.Clientset) rest.Interface { return c.CoreV1().RESTClient() }},
	{"leases", &coordinationv1.Lease{}, func(c *kubernetes.Clientset) rest.Interface { return c.CoordinationV1().RESTClient() }},
	{"replicasets", &appsv1.ReplicaSet{}, func(c *kubernetes.Clientset) rest.Interface { return c.AppsV1().RESTClient() }},
	{"deployments", &appsv1.Deployment{}, func(c *kubernetes.Clientset) rest.Interface { return c.AppsV1().RESTClient() }},
}

func received(object any) {
	events.Add(1)
	if lease, ok := object.(*coordinationv1.Lease); ok && lease.Annotations[stamp] != "" {
		written, err := strconv.ParseInt(lease.Annotations[stamp], 10, 64)
		must(err)
		lock.Lock()
		defer lock.Unlock()
		ages = append(ages, time.Since(time.Unix(0, written)))
	}
}

// Keeps what is compared, so that many copies fit into the memory.
func slim(object any) (any, error) {
	if lease, ok := object.(*coordinationv1.Lease); ok {
		lease.Spec = coordinationv1.LeaseSpec{}
		lease.ManagedFields = nil
		return lease, nil
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return object, nil
	}
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: accessor.GetNamespace(),
		Name: accessor.GetName(), UID: accessor.GetUID(), ResourceVersion: accessor.GetResourceVersion()}}, nil
}

func start(config *rest.Config) (informers []cache.SharedInformer) {
	dialer := &net.Dialer{}
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := dialer.DialContext(ctx, network, address)
		return counted{connection}, err
	}
	config.Wrap(func(inner http.RoundTripper) http.RoundTripper { return counting{inner} })
	clients := kubernetes.NewForConfigOrDie(config)
	for _, resource := range resources {
		informer := cache.NewSharedInformer(
			cache.NewListWatchFromClient(resource.client(clients), resource.name, "", fields.Everything()), resource.object, 0)
		must(informer.SetTransform(slim))
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { events.Add(1) }, UpdateFunc: func(_, object any) { received(object) },
			DeleteFunc: func(any) { events.Add(1) }})
		must(err)
		go informer.Run(context.Background().Done())
		informers = append(informers, informer)
	}
	return informers
}

// Writes the time into ten leases, ten times a second altogether.
func write(client *kubernetes.Clientset) {
	leases := client.CoordinationV1().Leases("default")
	for i := 0; !quiet.Load(); i++ {
		name := fmt.Sprintf("stamp-%d", i%10)
		patch := fmt.Sprintf(`{"metadata":{"annotations":{"%s":"%d"}}}`, stamp, time.Now().UnixNano())
		_, err := leases.Patch(context.Background(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		if errors.IsNotFound(err) {
			_, _ = leases.Create(context.Background(), &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func count() {
	lock.Lock()
	defer lock.Unlock()
	slices.Sort(ages)
	var median, late time.Duration
	if len(ages) > 0 {
		median, late = ages[len(ages)/2], ages[len(ages)*99/100]
	}
	fmt.Printf("events %d bytes %d requests %d stamps %d p50 %.1f ms p99 %.1f ms\n", events.Swap(0), bytes.Swap(0), requests.Swap(0),
		len(ages), float64(median.Microseconds())/1000, float64(late.Microseconds())/1000)
	ages = nil
}

// Returns how many objects are different, of how many.
func different(direct *kubernetes.Clientset, all [][]cache.SharedInformer) (different, compared int) {
	for i, resource := range resources {
		list, err := resource.client(direct).Get().Resource(resource.name).Do(context.Background()).Get()
		must(err)
		items, err := meta.ExtractList(list)
		must(err)
		for _, informers := range all {
			store := informers[i].GetStore()
			compared += len(items)
			different += max(0, len(store.ListKeys())-len(items))
			for _, item := range items {
				expected, err := meta.Accessor(item)
				must(err)
				key, err := cache.MetaNamespaceKeyFunc(item)
				must(err)
				found, exists, err := store.GetByKey(key)
				must(err)
				if !exists {
					different++
				} else if actual, err := meta.Accessor(found); err != nil || actual.GetResourceVersion() != expected.GetResourceVersion() {
					different++
				}
			}
		}
	}
	return different, compared
}

func compare(direct *kubernetes.Clientset, all [][]cache.SharedInformer) {
	quiet.Store(true)
	for range 60 {
		time.Sleep(time.Second)
		if wrong, compared := different(direct, all); wrong == 0 {
			fmt.Printf("different 0 of %d\n", compared)
			return
		}
	}
	wrong, compared := different(direct, all)
	fmt.Printf("different %d of %d\n", wrong, compared)
}

// Returns whether all nodes are ready.
func ready(client *kubernetes.Clientset, expected int) bool {
	list, err := client.CoreV1().Nodes().List(context.Background(), metav1.ListOptions{ResourceVersion: "0"})
	must(err)
	count := 0
	for _, node := range list.Items {
		for _, condition := range node.Status.Conditions {
			if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
				count++
			}
		}
	}
	return count == expected
}

func populate(client *kubernetes.Clientset, nodes, deployments, replicas int) {
	var group sync.WaitGroup
	for part := range 8 {
		group.Go(func() {
			for i := part; i < nodes; i += 8 {
				_, err := client.CoreV1().Nodes().Create(context.Background(), &corev1.Node{
					ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%d", i), Labels: map[string]string{"type": "kwok"}}},
					metav1.CreateOptions{})
				must(err)
			}
		})
	}
	group.Wait()
	for !ready(client, nodes) {
		time.Sleep(2 * time.Second)
	}
	for i := range deployments {
		name, count := fmt.Sprintf("deployment-%d", i), int32(replicas)
		labels := map[string]string{"app": name}
		no := false
		_, err := client.AppsV1().Deployments("default").Create(context.Background(), &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: appsv1.DeploymentSpec{Replicas: &count, Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
					AutomountServiceAccountToken: &no, Containers: []corev1.Container{{Name: "main", Image: "none.invalid/none"}}}}}},
			metav1.CreateOptions{})
		must(err)
	}
}

func main() {
	direct, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	must(err)
	direct.QPS = -1
	if os.Args[2] == "populate" {
		var counts [3]int
		for i := range counts {
			counts[i], err = strconv.Atoi(os.Args[3+i])
			must(err)
		}
		populate(kubernetes.NewForConfigOrDie(direct), counts[0], counts[1], counts[2])
		return
	}
	number, err := strconv.Atoi(os.Args[2])
	must(err)
	began := time.Now()
	var all [][]cache.SharedInformer
	for range number {
		config := rest.CopyConfig(direct)
		if os.Args[3] != config.Host {
			config = &rest.Config{Host: os.Args[3], QPS: -1}
		}
		all = append(all, start(config))
	}
	for _, informers := range all {
		for _, informer := range informers {
			cache.WaitForCacheSync(context.Background().Done(), informer.HasSynced)
		}
	}
	fmt.Printf("synced after %.1f s\n", time.Since(began).Seconds())
	client := kubernetes.NewForConfigOrDie(direct)
	go write(client)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if lines.Text() == "count" {
			count()
		} else {
			compare(client, all)
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
