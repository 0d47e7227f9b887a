// A controller on client-go: it leads by a Lease, watches config maps by an informer, writes to each that is new, records an event
// for it, and reads from its cache what it wrote. KUBECONFIG leads to the API server, NAMESPACE is where it works.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

var tasks = []string{"one", "two"}

func main() {
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	client := kubernetes.NewForConfigOrDie(config)
	namespace := os.Getenv("NAMESPACE")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: "controller"},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: "one"},
		},
		LeaseDuration:   15 * time.Second,
		RenewDeadline:   10 * time.Second,
		RetryPeriod:     2 * time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				fmt.Println("leads")
				control(ctx, client, namespace)
				cancel()
			},
			OnStoppedLeading: func() { fmt.Println("leads no more") },
		},
	})
	lease, err := client.CoordinationV1().Leases(namespace).Get(context.Background(), "controller", metav1.GetOptions{})
	check(err)
	fmt.Printf("the holder of the lease is %q\n", *lease.Spec.HolderIdentity)
}

func control(ctx context.Context, client kubernetes.Interface, namespace string) {
	events := client.CoreV1().Events(namespace)
	recorded, err := events.Watch(ctx, metav1.ListOptions{})
	check(err)
	defer recorded.Stop()
	broadcaster := record.NewBroadcaster()
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: events})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "controller"})

	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	defer queue.ShutDown()
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	configMaps := factory.Core().V1().ConfigMaps()
	_, err = configMaps.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { queue.Add(object.(*corev1.ConfigMap).Name) },
		UpdateFunc: func(_, object any) { queue.Add(object.(*corev1.ConfigMap).Name) },
	})
	check(err)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for _, name := range tasks {
		task := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"state": "new"}}
		_, err = client.CoreV1().ConfigMaps(namespace).Create(ctx, task, metav1.CreateOptions{})
		check(err)
	}

	for seen := 0; seen < len(tasks); {
		name, _ := queue.Get()
		task, err := configMaps.Lister().ConfigMaps(namespace).Get(name)
		check(err)
		switch task.Data["state"] {
		case "new":
			done := task.DeepCopy()
			done.Data["state"] = "done"
			_, err = client.CoreV1().ConfigMaps(namespace).Update(ctx, done, metav1.UpdateOptions{})
			check(err)
			recorder.Event(done, corev1.EventTypeNormal, "Done", "did the task")
		case "done":
			fmt.Println("its cache has a task that is done")
			seen++
		}
		queue.Done(name)
	}
	for range tasks {
		event := (<-recorded.ResultChan()).Object.(*corev1.Event)
		fmt.Println("the event is stored:", event.InvolvedObject.Kind, event.Reason, event.Message)
	}
}

func check(err error) {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}
