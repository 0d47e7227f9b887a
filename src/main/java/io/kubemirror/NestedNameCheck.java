package io.kubemirror;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.stereotype.Component;

import java.util.Set;
import java.util.function.Predicate;

/**
 * Rejects unknown names before values are bound, so that a misspelled name is not reported as a
 * missing value. Boot finds most of them, but last, and not those in the groups of list elements,
 * such as {@code resources[0].history.x}.
 */
@Component
final class NestedNameCheck implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName ROOT =
            ConfigurationPropertyName.of("kubemirror");

    /** Boot leaves out the environment in the same way, because Kubernetes sets variables in it. */
    private final Predicate<ConfigurationPropertySource> isChecked =
            new UnboundElementsSourceFilter()::apply;

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public <T> @Nullable Bindable<T> onStart(
                    ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
                if (context.getDepth() == 0 && name.equals(ROOT)) {
                    check(context);
                }
                return super.onStart(name, target, context);
            }
        };
    }

    private void check(BindContext context) {
        for (ConfigurationPropertySource source : context.getSources()) {
            if (isChecked.test(source)
                    && source instanceof IterableConfigurationPropertySource all) {
                all.stream()
                        .filter(ROOT::isAncestorOf)
                        .filter(name -> KnownProperties.mistake(name).isPresent())
                        .findFirst()
                        .map(source::getConfigurationProperty)
                        .ifPresent(NestedNameCheck::reject);
            }
        }
    }

    private static void reject(ConfigurationProperty unknown) {
        throw new UnboundConfigurationPropertiesException(Set.of(unknown));
    }
}
