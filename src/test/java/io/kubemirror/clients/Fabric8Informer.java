package io.kubemirror.clients;

import module java.base;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;

/** The informer of fabric8's client. */
final class Fabric8Informer implements Informer {

    private final KubernetesClient client;
    private final SharedIndexInformer<Pod> informer;

    /** Starts it and waits until it has synchronized. */
    Fabric8Informer(URI url, String namespace, ReportedPods reportedPods, boolean watchList) {
        Config config =
                new ConfigBuilder(Config.empty())
                        .withMasterUrl(url.toString())
                        .withWatchList(watchList)
                        .build();
        client = new KubernetesClientBuilder().withConfig(config).build();
        Fabric8Handler handler = new Fabric8Handler(reportedPods);
        informer = client.pods().inNamespace(namespace).inform(handler);
    }

    @Override
    public Map<String, String> held() {
        Map<String, String> held = new TreeMap<>();
        informer.getStore().list().forEach(pod -> held.put(name(pod), revision(pod)));
        return held;
    }

    private static String name(Pod pod) {
        return pod.getMetadata().getName();
    }

    private static String revision(Pod pod) {
        return pod.getMetadata().getResourceVersion();
    }

    @Override
    public void close() {
        informer.stop();
        client.close();
    }

    private record Fabric8Handler(ReportedPods reportedPods) implements ResourceEventHandler<Pod> {

        @Override
        public void onAdd(Pod pod) {
            reportedPods.added(name(pod), revision(pod));
        }

        @Override
        public void onUpdate(Pod before, Pod pod) {
            reportedPods.changed(name(pod), revision(pod));
        }

        @Override
        public void onDelete(Pod pod, boolean unknown) {
            reportedPods.deleted(name(pod));
        }
    }
}
