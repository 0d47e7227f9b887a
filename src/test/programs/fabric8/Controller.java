import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;

import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A controller on fabric8's client: {@code watch()}, writes of all kinds, and reads of what it
 * wrote. KUBERNETES_MASTER leads to the API server, NAMESPACE is where it works.
 */
final class Controller {

    private static final ResourceDefinitionContext GADGETS =
            new ResourceDefinitionContext.Builder()
                    .withGroup("example.com")
                    .withVersion("v1")
                    .withKind("Gadget")
                    .withPlural("gadgets")
                    .withNamespaced(true)
                    .build();

    public static void main(String[] args) throws InterruptedException {
        String namespace = System.getenv("NAMESPACE");
        try (KubernetesClient client = new KubernetesClientBuilder().build()) {
            var configMaps = client.configMaps().inNamespace(namespace);
            configMaps.resource(task(namespace, "tried")).dryRun().create();
            tell("after a dry run", configMaps.withLabel("app", "task").list().getItems().size());

            BlockingQueue<String> events = new LinkedBlockingQueue<>();
            try (Watch watch = configMaps.withLabel("app", "task").watch(new Queueing(events))) {
                configMaps.resource(task(namespace, "one")).create();
                tell("watched", events.take());
                var one = configMaps.withName("one");
                one.edit(found -> new ConfigMapBuilder(found).addToData("state", "done").build());
                tell("watched", events.take());
                tell("edited", one.get().getData());
                one.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"data\":{\"by\":\"me\"}}");
                tell("watched", events.take());
                tell("patched", one.get().getData());
                configMaps.resource(task(namespace, "two")).serverSideApply();
                tell("watched", events.take());
                tell("applied", configMaps.withLabel("app", "task").list().getItems().size());
                one.delete();
                tell("watched", events.take());
                tell("deleted", one.get() == null);
            }
            use(client, namespace);
        }
    }

    private static void use(KubernetesClient client, String namespace) {
        var gadgets = client.genericKubernetesResources(GADGETS).inNamespace(namespace);
        GenericKubernetesResource gadget = new GenericKubernetesResource();
        gadget.setApiVersion("example.com/v1");
        gadget.setKind("Gadget");
        gadget.setMetadata(task(namespace, "x").getMetadata());
        gadget.setAdditionalProperty("spec", Map.of("size", 1, "replicas", 1));
        Resource<GenericKubernetesResource> created = gadgets.resource(gadget);
        created.create();
        created.editStatus(
                found -> {
                    found.setAdditionalProperty("status", Map.of("ready", true));
                    return found;
                });
        tell("status", created.get().get("status", "ready"));
        created.scale(5);
        tell("scaled", created.get().get("spec", "replicas"));
        tell("gone", created.delete().stream().map(left -> left.getName()).toList());
        tell("left", gadgets.list().getItems().size());
    }

    private static ConfigMap task(String namespace, String name) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .withLabels(Map.of("app", "task"))
                .endMetadata()
                .withData(Map.of("state", "new"))
                .build();
    }

    private static void tell(String what, Object result) {
        System.out.println(what + ": " + result);
    }

    private record Queueing(BlockingQueue<String> events) implements Watcher<ConfigMap> {

        @Override
        public void eventReceived(Action action, ConfigMap found) {
            events.add(List.of(action, found.getMetadata().getName(), found.getData()).toString());
        }

        @Override
        public void onClose(WatcherException cause) {
            events.add("ended: " + cause);
        }
    }
}
