package io.kubemirror.app;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.reflector.MirrorUpdater;
import io.kubemirror.reflector.Reflector;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;

/**
 * Registers the present mirrors and their reflectors as beans, such as {@code mirror-pods} and
 * {@code reflector-pods}, named after their scopes. A bean leaves when its mirror does; another one
 * of that name may follow.
 *
 * <p>Those of the configuration are there before Spring creates other singletons. You get those
 * that come later by an {@code ObjectProvider}.
 *
 * <p>Safe for use by any thread.
 */
final class MirrorBeans {

    private static final String MIRROR = "mirror-";
    private static final String REFLECTOR = "reflector-";

    private final BeanDefinitionRegistry registry;

    /**
     * Orders updates. Spring's own locks are taken under it. No thread that holds one of those
     * waits for it, because only requests and reloads change mirrors once there are any.
     */
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * By the names of their scopes. Changed under the lock, read by any thread. Definitions do not
     * hold what they are for, because Spring keeps some that were removed.
     */
    private final Map<String, MirrorUpdater> registered = new ConcurrentHashMap<>();

    MirrorBeans(BeanDefinitionRegistry registry) {
        this.registry = registry;
    }

    /**
     * Makes the beans those of the present mirrors.
     *
     * @param newest returns what updates the present mirrors; asked under the lock, so that the
     *     last of two changes at a time is the one that stays
     */
    void update(Supplier<List<MirrorUpdater>> newest) {
        lock.lock();
        try {
            Map<String, MirrorUpdater> present = new LinkedHashMap<>();
            newest.get().forEach(one -> present.put(one.mirror().scope().toString(), one));
            Set.copyOf(registered.entrySet()).stream()
                    .filter(one -> !one.getValue().equals(present.get(one.getKey())))
                    .forEach(one -> remove(one.getKey()));
            present.forEach(
                    (name, updater) -> {
                        if (registered.putIfAbsent(name, updater) == null) {
                            add(name, updater);
                        }
                    });
        } finally {
            lock.unlock();
        }
    }

    private void add(String name, MirrorUpdater updater) {
        add(MIRROR + name, Mirror.class, () -> get(name).mirror());
        if (updater instanceof Reflector) {
            add(REFLECTOR + name, Reflector.class, () -> (Reflector) get(name));
        }
    }

    private MirrorUpdater get(String name) {
        MirrorUpdater present = registered.get(name);
        if (present == null) {
            throw new NoSuchBeanDefinitionException(name);
        }
        return present;
    }

    /** The lifecycle ends a reflector. Spring, which would close it, does not. */
    private <T> void add(String name, Class<T> type, Supplier<T> instance) {
        RootBeanDefinition definition = new RootBeanDefinition(type, instance);
        definition.setDestroyMethodName("");
        definition.setSynthetic(true);
        registry.registerBeanDefinition(name, definition);
    }

    private void remove(String name) {
        for (String bean : List.of(MIRROR + name, REFLECTOR + name)) {
            if (registry.containsBeanDefinition(bean)) {
                registry.removeBeanDefinition(bean);
            }
        }
        registered.remove(name);
    }
}
