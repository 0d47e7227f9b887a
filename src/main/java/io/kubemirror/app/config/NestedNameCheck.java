package io.kubemirror.app.config;

import module java.base;

import io.kubemirror.kube.EditDistance;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.stereotype.Component;

/**
 * Rejects names that no record has before values are bound, so that a misspelled name is not
 * reported as a missing value, and names that another source hides. The records themselves ignore
 * unknown names, since each has only some of those below its prefix.
 */
@Component
final class NestedNameCheck implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final Logger log = LoggerFactory.getLogger(NestedNameCheck.class);

    static final String UNKNOWN = "unknown property";

    static final String REMOVE = "remove it";

    private static final ConfigurationPropertyName RESOURCES =
            BoundRecords.ROOT.append("resources");

    /** What Kubernetes sets for a service whose name begins with that of kubemirror. */
    private static final Pattern OF_SERVICE =
            Pattern.compile(
                    ".*\\.service\\.(host|port)(\\..*)?"
                            + "|.*\\.port(\\[\\d+]\\.(tcp|udp|sctp)(\\..*)?)?");

    /**
     * Boot leaves out the environment in the same way, because Kubernetes sets variables in it. It
     * sets none for an element of a list, where a restriction must not get lost.
     */
    private final Predicate<ConfigurationPropertySource> isChecked =
            new UnboundElementsSourceFilter()::apply;

    private final Supplier<KnownProperties> known;
    private boolean checked;

    /** Creates a check against the records of a bean factory. */
    NestedNameCheck(ListableBeanFactory beans) {
        this.known = () -> new KnownProperties(BoundRecords.types(beans));
    }

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public <T> @Nullable Bindable<T> onStart(
                    ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
                if (!checked && context.getDepth() == 0 && isOwn(name)) {
                    check(context, known.get());
                    checked = true;
                }
                return super.onStart(name, target, context);
            }
        };
    }

    private static boolean isOwn(ConfigurationPropertyName name) {
        return name.equals(BoundRecords.ROOT) || BoundRecords.ROOT.isAncestorOf(name);
    }

    /** Returns whether the group of a name is that of kubemirror, but for a few letters. */
    private static boolean isMisspelled(ConfigurationPropertyName name) {
        return !name.isEmpty()
                && EditDistance.nearest(
                                name.getElement(0, Form.UNIFORM),
                                Set.of(BoundRecords.ROOT.toString()))
                        .isPresent();
    }

    private void check(BindContext context, KnownProperties names) {
        ConfigurationPropertySource resources = null;
        for (ConfigurationPropertySource source : context.getSources()) {
            if (source instanceof IterableConfigurationPropertySource all) {
                ConfigurationPropertySource first = resources;
                boolean file = isChecked.test(source);
                all.stream()
                        .filter(name -> isOwn(name) || (file && isMisspelled(name)))
                        .forEach(name -> check(name, source, first, names));
            }
            if (resources == null && hasResources(source)) {
                resources = source;
            }
        }
    }

    /** Boot binds the list of the first source that has one. */
    private static boolean hasResources(ConfigurationPropertySource source) {
        return source.getConfigurationProperty(RESOURCES) != null
                || source.containsDescendantOf(RESOURCES) == ConfigurationPropertyState.PRESENT;
    }

    private void check(
            ConfigurationPropertyName name,
            ConfigurationPropertySource source,
            @Nullable ConfigurationPropertySource resources,
            KnownProperties names) {
        boolean element = isInElement(name);
        boolean file = isChecked.test(source);
        if (file && !BoundRecords.ROOT.isAncestorOf(name)) {
            throw misnamed(property(source, name));
        }
        if (!file && !element) {
            warn(property(source, name), names);
            return;
        }
        Optional<String> mistake = file ? names.mistake(name) : names.mistakeInVariable(name);
        if (mistake.isPresent() || (element && isInShortForm(name, source))) {
            throw new UnknownPropertyException(
                    property(source, name), UNKNOWN, names.mistake(name).orElse(REMOVE));
        }
        if (resources != null
                && isInResources(name)
                && resources.getConfigurationProperty(name) == null) {
            throw new UnknownPropertyException(
                    property(source, name),
                    "has no effect, because another source, such as the command line, replaces"
                            + " kubemirror.resources",
                    "set all resources in one place");
        }
    }

    private static UnknownPropertyException misnamed(ConfigurationProperty property) {
        ConfigurationPropertyName root = BoundRecords.ROOT;
        return root.equals(property.getName())
                ? new UnknownPropertyException(
                        property,
                        "has a value in the place of its properties",
                        "write them below it, such as " + RESOURCES)
                : new UnknownPropertyException(
                        property, UNKNOWN, "did you mean " + root + " at the beginning?");
    }

    /** An unknown variable may be that of another program, so it does not end the start. */
    private static void warn(ConfigurationProperty property, KnownProperties names) {
        String name = property.getName().toString();
        if (!OF_SERVICE.matcher(name).matches()) {
            names.mistakeInVariable(property.getName())
                    .ifPresent(
                            advice ->
                                    log.warn(
                                            "{}{}: unknown property, which has no effect; {}",
                                            name,
                                            ConfigurationErrorReporter.place(property.getOrigin()),
                                            advice));
        }
    }

    private static boolean isInResources(ConfigurationPropertyName name) {
        return name.equals(RESOURCES) || RESOURCES.isAncestorOf(name);
    }

    private static boolean isInElement(ConfigurationPropertyName name) {
        return RESOURCES.isAncestorOf(name) && name.isNumericIndex(RESOURCES.getNumberOfElements());
    }

    /** Returns whether a source has the list, or the element, as text, which has no members. */
    private static boolean isInShortForm(
            ConfigurationPropertyName name, ConfigurationPropertySource source) {
        ConfigurationPropertyName element = name.chop(RESOURCES.getNumberOfElements() + 1);
        return element.isAncestorOf(name)
                && Stream.of(RESOURCES, element)
                        .map(source::getConfigurationProperty)
                        .anyMatch(Objects::nonNull);
    }

    private static ConfigurationProperty property(
            ConfigurationPropertySource source, ConfigurationPropertyName name) {
        return Objects.requireNonNull(source.getConfigurationProperty(name));
    }
}
