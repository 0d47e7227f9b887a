package io.kubemirror;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorEnvironment;
import io.kubemirror.upstream.UpstreamApi;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.aot.AbstractAotProcessor;

import java.util.concurrent.Executor;

/**
 * Registers a plan, a mirror, and a reflector for each configured resource and namespace, in the
 * order of the configuration.
 *
 * <p>They can be injected by name: {@code mirror-pods} and {@code reflector-pods}, with a namespace
 * {@code mirror-pods/kube-system}, with selectors in the notation of {@link
 * io.kubemirror.model.Scope#toString}.
 *
 * <p>Rejected: a {@code BeanRegistrar}, which has access to the environment but not to beans, so
 * the configuration would be bound twice, the first time without validation. A {@code
 * BeanDefinitionRegistryPostProcessor} has the same problem: it runs before Boot can bind a bean.
 */
final class MirrorRegistration implements BeanFactoryPostProcessor {

    /** The name of the executor that signals subscriptions. */
    static final String NOTIFIER = "notifier";

    private final BeanFactory beans;

    MirrorRegistration(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory factory) {
        if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
            // The configuration is not available at build time, only when the process starts.
            return;
        }
        MirrorProperties properties = beans.getBean(MirrorProperties.class);
        Window window = PlanReader.window(properties.history());
        for (MirrorPlan plan : PlanReader.plans(properties)) {
            factory.registerSingleton(plan.planName(), plan);
            register((BeanDefinitionRegistry) factory, plan, window);
        }
    }

    private void register(BeanDefinitionRegistry registry, MirrorPlan plan, Window window) {
        registry.registerBeanDefinition(
                plan.mirrorName(),
                new RootBeanDefinition(
                        Mirror.class,
                        () ->
                                new Mirror(
                                        plan.scope(),
                                        window,
                                        beans.getBean(NOTIFIER, Executor.class),
                                        System::nanoTime)));
        RootBeanDefinition reflector =
                new RootBeanDefinition(Reflector.class, () -> reflector(plan));
        // ReflectorLifecycle closes all reflectors concurrently; closing them in turn takes longer.
        reflector.setDestroyMethodName("");
        registry.registerBeanDefinition(plan.reflectorName(), reflector);
    }

    private Reflector reflector(MirrorPlan plan) {
        Mirror mirror = beans.getBean(plan.mirrorName(), Mirror.class);
        return new Reflector(
                beans.getBean(UpstreamApi.class),
                new MirrorWriter(
                        mirror,
                        System::nanoTime,
                        plan.settings().updates(),
                        beans.getBean(MirrorMemory.class),
                        plan.limits()),
                plan.settings(),
                beans.getBean(ReflectorEnvironment.class));
    }
}
