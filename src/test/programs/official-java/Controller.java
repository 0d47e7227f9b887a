import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.PatchUtils;

import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A controller on the official Java client: an informer, writes of all kinds, and reads of what it
 * wrote. KUBECONFIG leads to the API server, NAMESPACE is where it works.
 */
final class Controller {

    private static final String TASKS = "app=task";
    private static final String DONE = "{\"data\":{\"state\":\"done\"}}";

    public static void main(String[] args) throws Exception {
        String namespace = System.getenv("NAMESPACE");
        ApiClient client = ClientBuilder.standard().build();
        client.setReadTimeout(0);
        CoreV1Api core = new CoreV1Api(client);
        core.createNamespacedConfigMap(namespace, task("tried")).dryRun("All").execute();
        tell("after a dry run", count(core, namespace));

        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        SharedInformerFactory factory = new SharedInformerFactory(client);
        SharedIndexInformer<V1ConfigMap> informer =
                factory.sharedIndexInformerFor(
                        asked ->
                                core.listNamespacedConfigMap(namespace)
                                        .labelSelector(TASKS)
                                        .resourceVersion(asked.resourceVersion)
                                        .timeoutSeconds(asked.timeoutSeconds)
                                        .watch(asked.watch)
                                        .buildCall(null),
                        V1ConfigMap.class,
                        V1ConfigMapList.class);
        informer.addEventHandler(new Queueing(events));
        factory.startAllRegisteredInformers();

        core.createNamespacedConfigMap(namespace, task("one")).execute();
        tell("informed", events.take());
        PatchUtils.patch(
                V1ConfigMap.class,
                () ->
                        core.patchNamespacedConfigMap("one", namespace, new V1Patch(DONE))
                                .buildCall(null),
                V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH,
                client);
        tell("patched", core.readNamespacedConfigMap("one", namespace).execute().getData());
        tell("informed", events.take());
        core.deleteNamespacedConfigMap("one", namespace).execute();
        tell("left", count(core, namespace));
        tell("informed", events.take());
        factory.stopAllRegisteredInformers();

        AppsV1Api apps = new AppsV1Api(client);
        V1Deployment web = apps.readNamespacedDeployment("web", namespace).execute();
        web.getStatus().setReplicas(3);
        apps.replaceNamespacedDeploymentStatus("web", namespace, web).execute();
        web = apps.readNamespacedDeployment("web", namespace).execute();
        tell("replicas", web.getStatus().getReplicas());
        System.exit(0);
    }

    private static int count(CoreV1Api core, String namespace) throws ApiException {
        return core.listNamespacedConfigMap(namespace)
                .labelSelector(TASKS)
                .execute()
                .getItems()
                .size();
    }

    private static V1ConfigMap task(String name) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().name(name).labels(Map.of("app", "task")))
                .data(Map.of("state", "new"));
    }

    private static void tell(String what, Object result) {
        System.out.println(what + ": " + result);
    }

    private record Queueing(BlockingQueue<String> events)
            implements ResourceEventHandler<V1ConfigMap> {

        @Override
        public void onAdd(V1ConfigMap found) {
            events.add("added " + found.getData());
        }

        @Override
        public void onUpdate(V1ConfigMap before, V1ConfigMap found) {
            events.add("changed " + found.getData());
        }

        @Override
        public void onDelete(V1ConfigMap found, boolean unknown) {
            events.add("deleted " + found.getData());
        }
    }
}
