// Informers of client-go, each with a watch of its own, in one process. Prints the name of a pod when all of them have it.
//
// Arguments: their number; the address of the server. CA names the file with its certificate. Client-go chooses HTTP/2 over TLS by itself.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	count, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	config := &rest.Config{Host: os.Args[2], TLSClientConfig: rest.TLSClientConfig{CAFile: os.Getenv("CA")}, QPS: -1}
	client := kubernetes.NewForConfigOrDie(config).CoreV1().RESTClient()
	var lock sync.Mutex
	seen := map[string]int{}
	for range count {
		informer := cache.NewSharedInformer(
			cache.NewListWatchFromClient(client, "pods", "default", fields.Everything()), &corev1.Pod{}, 0)
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
			lock.Lock()
			defer lock.Unlock()
			name := object.(*corev1.Pod).Name
			seen[name]++
			if seen[name] == count {
				fmt.Println(name)
			}
		}})
		if err != nil {
			panic(err)
		}
		go informer.Run(context.Background().Done())
	}
	select {}
}
