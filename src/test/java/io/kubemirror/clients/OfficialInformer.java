package io.kubemirror.clients;

import static java.util.Objects.requireNonNull;

import module java.base;

import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodList;
import io.kubernetes.client.util.ClientBuilder;

/** The informer of the official Java client. */
final class OfficialInformer implements Informer {

    private final SharedInformerFactory factory;
    private final SharedIndexInformer<V1Pod> informer;

    OfficialInformer(URI url, String namespace, ReportedPods reportedPods) {
        ApiClient client = new ClientBuilder().setBasePath(url.toString()).build();
        // Required by its documentation for watches.
        client.setReadTimeout(0);
        CoreV1Api api = new CoreV1Api(client);
        factory = new SharedInformerFactory(client);
        informer =
                factory.sharedIndexInformerFor(
                        asked ->
                                api.listNamespacedPod(namespace)
                                        .resourceVersion(asked.resourceVersion)
                                        .timeoutSeconds(asked.timeoutSeconds)
                                        .watch(asked.watch)
                                        .buildCall(null),
                        V1Pod.class,
                        V1PodList.class);
        informer.addEventHandler(new OfficialHandler(reportedPods));
        factory.startAllRegisteredInformers();
    }

    @Override
    public Map<String, String> held() {
        Map<String, String> held = new TreeMap<>();
        informer.getIndexer().list().forEach(pod -> held.put(name(pod), revision(pod)));
        return held;
    }

    private static String name(V1Pod pod) {
        return requireNonNull(metadata(pod).getName());
    }

    private static String revision(V1Pod pod) {
        return requireNonNull(metadata(pod).getResourceVersion());
    }

    private static V1ObjectMeta metadata(V1Pod pod) {
        return requireNonNull(pod.getMetadata());
    }

    @Override
    public void close() {
        factory.stopAllRegisteredInformers();
    }

    private record OfficialHandler(ReportedPods reportedPods)
            implements ResourceEventHandler<V1Pod> {

        @Override
        public void onAdd(V1Pod pod) {
            reportedPods.added(name(pod), revision(pod));
        }

        @Override
        public void onUpdate(V1Pod before, V1Pod pod) {
            reportedPods.changed(name(pod), revision(pod));
        }

        @Override
        public void onDelete(V1Pod pod, boolean unknown) {
            reportedPods.deleted(name(pod));
        }
    }
}
