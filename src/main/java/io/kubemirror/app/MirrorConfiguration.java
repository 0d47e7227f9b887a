package io.kubemirror.app;

import module java.base;

import io.kubemirror.app.health.MirrorsHealthIndicator;
import io.kubemirror.app.health.ProcessDescription;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorMemory;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SteadyClock;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorEnvironment;

import org.springframework.beans.factory.BeanFactoryInitializer;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;

/** Creates the mirrors of the configured resources and namespaces, and the beans they share. */
@Configuration(proxyBeanMethods = false)
class MirrorConfiguration {

    private static final String NOTIFIER = "notifier";

    /** The number of collections that are listed at the same time. */
    private static final int MAX_LISTS = 4;

    /** The mirrors of the configuration. */
    @Bean
    MirrorLifecycle mirrorLifecycle(
            MirrorProperties properties,
            Sources sources,
            MirrorMemory memory,
            SteadyClock clock,
            RandomGenerator random,
            @Qualifier(NOTIFIER) Executor notifier) {
        return new MirrorLifecycle(
                MirrorDefinition.all(properties),
                sources,
                memory,
                new ReflectorEnvironment(
                        clock, random, Thread::sleep, new Semaphore(MAX_LISTS, /* fair= */ true)),
                notifier);
    }

    /**
     * Makes each configured mirror and its reflector a bean, such as {@code mirror-pods} and {@code
     * reflector-pods}, before Spring creates the singletons that they are injected into.
     */
    @Bean
    static BeanFactoryInitializer<DefaultListableBeanFactory> mirrorBeans() {
        return beans -> {
            for (Reflector one : beans.getBean(MirrorLifecycle.class).reflectors()) {
                String name = one.mirror().scope().toString();
                register(beans, "mirror-" + name, Mirror.class, one.mirror());
                register(beans, "reflector-" + name, Reflector.class, one);
            }
        };
    }

    /** A prototype, so that Spring does not close what the lifecycle ends. */
    private static <T> void register(
            DefaultListableBeanFactory beans, String name, Class<T> type, T instance) {
        RootBeanDefinition definition =
                new RootBeanDefinition(type, BeanDefinition.SCOPE_PROTOTYPE, () -> instance);
        definition.setSynthetic(true);
        beans.registerBeanDefinition(name, definition);
    }

    /** Lets readers ask for a revision that a quiet mirror learns of only later. */
    @Bean
    BiConsumer<Mirror, Revision> mirrorProgress(MirrorLifecycle lifecycle) {
        return lifecycle::requestProgress;
    }

    @Bean
    MirrorSet mirrors(MirrorLifecycle lifecycle) {
        return lifecycle.mirrors();
    }

    @Bean
    MirrorsHealthIndicator mirrorsHealthIndicator(
            ProcessDescription process, MirrorLifecycle lifecycle) {
        return new MirrorsHealthIndicator(process, lifecycle::isRequired);
    }

    @Bean
    InstantSource clock() {
        return InstantSource.system();
    }

    /**
     * A fallback, because an {@link InstantSource} is the system's clock unless it is asked for.
     */
    @Bean
    @Fallback
    SteadyClock steadyClock(InstantSource clock) {
        return SteadyClock.beginning(clock, System::nanoTime);
    }

    /** Safe for all reflectors at once, because every thread has its own generator. */
    @Bean
    RandomGenerator random() {
        return () -> ThreadLocalRandom.current().nextLong();
    }

    /**
     * Signals subscriptions, for all mirrors. It is not a default candidate, because Boot would use
     * it as the executor for web requests.
     */
    @Bean(name = NOTIFIER, defaultCandidate = false)
    ExecutorService notifier() {
        return Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("notifier").factory());
    }
}
