import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;

import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * An operator on the Java Operator SDK: a finalizer, a status, and a config map that depends on
 * each gadget. KUBERNETES_MASTER leads to the API server, NAMESPACE is where it works.
 */
final class Operator {

    /** The specification of a gadget. */
    public static final class Spec {
        public int size;
    }

    /** The status of a gadget. */
    public static final class Status {
        public int built;
    }

    /** The custom resource. */
    @Group("example.com")
    @Version("v1")
    @Plural("gadgets")
    public static final class Gadget extends CustomResource<Spec, Status> implements Namespaced {}

    /** A config map for each gadget. */
    @KubernetesDependent
    public static final class Blueprint extends CRUDKubernetesDependentResource<ConfigMap, Gadget> {

        @Override
        protected ConfigMap desired(Gadget gadget, Context<Gadget> context) {
            return new ConfigMapBuilder()
                    .withMetadata(
                            new ObjectMetaBuilder()
                                    .withNamespace(gadget.getMetadata().getNamespace())
                                    .withName(gadget.getMetadata().getName())
                                    .build())
                    .withData(Map.of("size", Integer.toString(gadget.getSpec().size)))
                    .build();
        }
    }

    /** Reports the size of the blueprint that it has. */
    @Workflow(dependents = @Dependent(type = Blueprint.class))
    @ControllerConfiguration(name = "gadgets")
    public static final class GadgetReconciler implements Reconciler<Gadget>, Cleaner<Gadget> {

        @Override
        public UpdateControl<Gadget> reconcile(Gadget gadget, Context<Gadget> context) {
            ConfigMap blueprint = context.getSecondaryResource(ConfigMap.class).orElseThrow();
            Gadget reported = new Gadget();
            reported.setMetadata(
                    new ObjectMetaBuilder()
                            .withNamespace(gadget.getMetadata().getNamespace())
                            .withName(gadget.getMetadata().getName())
                            .build());
            reported.setStatus(new Status());
            reported.getStatus().built = Integer.parseInt(blueprint.getData().get("size"));
            return UpdateControl.patchStatus(reported);
        }

        @Override
        public DeleteControl cleanup(Gadget gadget, Context<Gadget> context) {
            System.out.println("cleans up");
            return DeleteControl.defaultDelete();
        }
    }

    public static void main(String[] args) {
        String namespace = System.getenv("NAMESPACE");
        try (KubernetesClient client = new KubernetesClientBuilder().build()) {
            var operator =
                    new io.javaoperatorsdk.operator.Operator(
                            settings -> settings.withKubernetesClient(client));
            operator.register(
                    new GadgetReconciler(), settings -> settings.settingNamespace(namespace));
            operator.start();

            Gadget gadget = new Gadget();
            gadget.setMetadata(
                    new ObjectMetaBuilder().withNamespace(namespace).withName("x").build());
            gadget.setSpec(new Spec());
            gadget.getSpec().size = 1;
            var created = client.resource(gadget);
            created.create();
            await(created, 1);
            System.out.println("finalizers: " + created.get().getMetadata().getFinalizers());
            created.edit(
                    found -> {
                        found.getSpec().size = 2;
                        return found;
                    });
            await(created, 2);
            created.delete();
            created.waitUntilCondition(left -> left == null, 1, TimeUnit.MINUTES);
            System.out.println("gone");
            operator.stop();
        }
    }

    private static void await(io.fabric8.kubernetes.client.dsl.Resource<Gadget> gadget, int built) {
        gadget.waitUntilCondition(
                found -> found.getStatus() != null && found.getStatus().built == built,
                1,
                TimeUnit.MINUTES);
        System.out.println("built: " + built);
    }
}
