package main

import (
	"context"
	"fmt"
	"os"

	"k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

func main() {
	host := append(os.Args[1:], "http://127.0.0.1:8001")[0]
	client := kubernetes.NewForConfigOrDie(&rest.Config{Host: host}).CoreV1().RESTClient()
	pods := cache.NewListWatchFromClient(client, "pods", "default", fields.Everything())
	show := func(event watch.Event) (bool, error) {
		fmt.Println(event.Type, event.Object.(*v1.Pod).Name)
		return false, nil // Not until something happens, but forever.
	}
	watchtools.UntilWithSync(context.Background(), pods, &v1.Pod{}, nil, show)
}
