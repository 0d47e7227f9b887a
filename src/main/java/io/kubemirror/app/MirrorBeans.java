package io.kubemirror.app;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.reflector.Reflector;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/**
 * Registers the present mirrors and their reflectors as beans, such as {@code mirror-pods} and
 * {@code reflector-pods}, named after their scopes. Each lookup returns the present one of that
 * name. The definitions of one that is gone are removed, unless another bean was injected with it:
 * Spring would destroy that bean, too. A lookup by such a name returns nothing.
 *
 * <p>Those of the configuration are there before Spring creates singletons that the web server does
 * not need. You get those that come later by an {@code ObjectProvider}.
 *
 * <p>Safe for use by any thread.
 */
final class MirrorBeans {

    private static final String MIRROR = "mirror-";
    private static final String REFLECTOR = "reflector-";

    private final DefaultListableBeanFactory beans;

    /**
     * Orders updates. Spring's own locks are taken under it. No thread that holds one of those
     * waits for it, because only requests change mirrors once there are any.
     */
    private final ReentrantLock lock = new ReentrantLock();

    /** By the names of their scopes. Changed under the lock, read by any thread. */
    private final Map<String, Reflector> present = new ConcurrentHashMap<>();

    MirrorBeans(DefaultListableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * Makes the beans those of the present mirrors.
     *
     * @param newest returns what updates the present mirrors; asked under the lock, so that the
     *     last of two changes at a time is the one that stays
     */
    void update(Supplier<List<Reflector>> newest) {
        lock.lock();
        try {
            Map<String, Reflector> next = new LinkedHashMap<>();
            newest.get().forEach(one -> next.put(one.mirror().scope().toString(), one));
            present.putAll(next);
            next.forEach(
                    (name, _) -> {
                        add(MIRROR + name, Mirror.class, () -> mirror(name));
                        add(REFLECTOR + name, Reflector.class, () -> reflector(name));
                    });
            for (String name : List.copyOf(present.keySet())) {
                if (!next.containsKey(name)) {
                    present.remove(name);
                    remove(MIRROR + name);
                    remove(REFLECTOR + name);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Mirror mirror(String name) {
        Reflector updater = present.get(name);
        return updater == null ? null : updater.mirror();
    }

    private @Nullable Reflector reflector(String name) {
        return present.get(name);
    }

    /** A prototype, so that Spring neither keeps the instance nor closes it. */
    private void add(String name, Class<?> type, Supplier<?> instance) {
        if (!beans.containsBeanDefinition(name)) {
            RootBeanDefinition definition = new RootBeanDefinition(type);
            definition.setInstanceSupplier(instance);
            definition.setScope(BeanDefinition.SCOPE_PROTOTYPE);
            definition.setSynthetic(true);
            beans.registerBeanDefinition(name, definition);
        }
    }

    private void remove(String name) {
        if (beans.containsBeanDefinition(name) && beans.getDependentBeans(name).length == 0) {
            beans.removeBeanDefinition(name);
        }
    }
}
