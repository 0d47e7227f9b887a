package io.kubemirror.app;

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

import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Rejects unknown names before values are bound, so that a misspelled name is not reported as a
 * missing value. Boot finds most of them, but last, and not those in the elements of lists, such as
 * {@code resources[0].history.x} or {@code resources[0].label-selector.x}.
 */
@Component
final class NestedNameCheck implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName ROOT =
            ConfigurationPropertyName.of("kubemirror");

    private static final ConfigurationPropertyName RESOURCES = ROOT.append("resources");

    /**
     * Boot leaves out the environment in the same way, because Kubernetes sets variables in it. It
     * sets none for an element of a list, where a restriction must not get lost.
     */
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
            if (source instanceof IterableConfigurationPropertySource all) {
                Predicate<ConfigurationPropertyName> isMistake =
                        isChecked.test(source)
                                ? name -> KnownProperties.mistake(name).isPresent()
                                : name -> isMistakeInElement(name, source);
                all.stream()
                        .filter(ROOT::isAncestorOf)
                        .filter(isMistake)
                        .findFirst()
                        .map(source::getConfigurationProperty)
                        .ifPresent(NestedNameCheck::reject);
            }
        }
    }

    private static boolean isMistakeInElement(
            ConfigurationPropertyName name, ConfigurationPropertySource source) {
        int index = RESOURCES.getNumberOfElements();
        return RESOURCES.isAncestorOf(name)
                && name.isNumericIndex(index)
                && (KnownProperties.mistakeInVariable(name).isPresent()
                        || isInShortForm(name.chop(index + 1), name, source));
    }

    /** Returns whether a source has the list, or the element, as text, which has no members. */
    private static boolean isInShortForm(
            ConfigurationPropertyName element,
            ConfigurationPropertyName name,
            ConfigurationPropertySource source) {
        return element.isAncestorOf(name)
                && Stream.of(RESOURCES, element)
                        .map(source::getConfigurationProperty)
                        .anyMatch(Objects::nonNull);
    }

    private static void reject(ConfigurationProperty unknown) {
        throw new UnboundConfigurationPropertiesException(Set.of(unknown));
    }
}
