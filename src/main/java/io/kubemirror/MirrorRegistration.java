package io.kubemirror;

import io.kubemirror.kube.KubeApi;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.ops.MirrorMetrics;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.Surroundings;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.aot.AbstractAotProcessor;

import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Registers a mirror, its reflector and its metrics for each configured resource and namespace, in
 * the order of the configuration.
 *
 * <p>They can be injected by name: {@code mirror-pods} and {@code reflector-pods}, with a namespace
 * {@code mirror-pods/kube-system}, with selectors as {@link io.kubemirror.model.Scope#toString}
 * writes them.
 *
 * <p>Rejected: a {@code BeanRegistrar}, which sees the environment but no beans, so that the
 * configuration would be bound twice, and the first time without validation. For the same reason
 * this is no {@code BeanDefinitionRegistryPostProcessor}: those run before Boot can bind a bean.
 */
final class MirrorRegistration implements BeanFactoryPostProcessor {

    /** The name of the executor that wakes readers. */
    static final String WAKER = "waker";

    private final BeanFactory beans;

    MirrorRegistration(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory factory) {
        if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
            // The build knows no configuration; there is one when the process starts.
            return;
        }
        BeanDefinitionRegistry registry = (BeanDefinitionRegistry) factory;
        MirrorProperties properties = beans.getBean(MirrorProperties.class);
        Window window = PlanReader.window(properties.history());
        for (MirrorPlan plan : PlanReader.plans(properties)) {
            register(registry, plan, window);
        }
    }

    private void register(BeanDefinitionRegistry registry, MirrorPlan plan, Window window) {
        registry.registerBeanDefinition(
                plan.mirrorName(), bean(Mirror.class, () -> mirror(plan, window)));
        RootBeanDefinition reflector = bean(Reflector.class, () -> reflector(plan));
        // The lifecycle closes all reflectors at once; one by one would take the sum of their time.
        reflector.setDestroyMethodName("");
        registry.registerBeanDefinition(plan.reflectorName(), reflector);
        registry.registerBeanDefinition(
                plan.metricsName(), bean(MirrorMetrics.class, () -> metrics(plan)));
    }

    private Mirror mirror(MirrorPlan plan, Window window) {
        return new Mirror(plan.scope(), window, beans.getBean(WAKER, Executor.class));
    }

    private Reflector reflector(MirrorPlan plan) {
        Mirror mirror = beans.getBean(plan.mirrorName(), Mirror.class);
        return new Reflector(
                beans.getBean(KubeApi.class),
                new MirrorWriter(
                        mirror,
                        System::nanoTime,
                        plan.settings().updates(),
                        beans.getBean(MirrorMemory.class),
                        plan.limits()),
                plan.settings(),
                beans.getBean(Surroundings.class));
    }

    private MirrorMetrics metrics(MirrorPlan plan) {
        return new MirrorMetrics(
                beans.getBean(plan.mirrorName(), Mirror.class),
                beans.getBean(plan.reflectorName(), Reflector.class).counts(),
                beans.getBean(InstantSource.class));
    }

    private static <T> RootBeanDefinition bean(Class<T> type, Supplier<T> supplier) {
        return new RootBeanDefinition(type, supplier);
    }
}
