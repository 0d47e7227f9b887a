package io.kubemirror.feature.names;

import module java.base;

import io.kubemirror.app.config.ConfigurationFiles;
import io.kubemirror.kube.EditDistance;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.ConfigurationPropertiesBean;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.stereotype.Component;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.beans.PropertyDescriptor;

/**
 * Warns of names below {@code server} and {@code management} in files and arguments that no part of
 * Spring Boot has, and of those below a similar name that differ little from one of Boot. Boot
 * ignores them, also those that it has renamed.
 *
 * <p>A name that kubemirror's own file has, or that a bean has bound, is known. Others are looked
 * up in Boot's metadata after the start: 400 KB of JSON, which take 0.4 s of processor time.
 */
@Component
final class UnknownNameWarning {

    private static final Logger log = LoggerFactory.getLogger(UnknownNameWarning.class);

    private static final List<ConfigurationPropertyName> CHECKED =
            Stream.of("server", "management").map(ConfigurationPropertyName::of).toList();

    /** Has a member for each health indicator, which are not in the metadata. */
    private static final ConfigurationPropertyName INDICATORS =
            ConfigurationPropertyName.of("management.health");

    private static final String METADATA = "classpath*:META-INF/spring-configuration-metadata.json";

    private static final Set<String> OPEN = Set.of("java.util.Map", "java.util.List");

    /**
     * A property of Boot.
     *
     * @param open whether it has members of any name
     * @param gone whether it has no effect any more
     * @param replacement what has replaced it, empty for nothing
     */
    private record BootProperty(boolean open, boolean gone, String replacement) {

        static BootProperty of(JsonNode metadata) {
            String type = metadata.path("type").asString("").replaceFirst("<.*", "");
            return new BootProperty(
                    OPEN.contains(type),
                    metadata.at("/deprecation/level").asString("").equals("error"),
                    metadata.at("/deprecation/replacement").asString(""));
        }
    }

    /** Logs the warnings on another thread, since readiness follows this event. */
    @EventListener
    void warn(ApplicationReadyEvent started) {
        ConfigurableApplicationContext context = started.getApplicationContext();
        Thread.ofVirtual()
                .name("unknown-names")
                .start(() -> warnings(context.getEnvironment(), bound(context)).forEach(log::warn));
    }

    /** Returns the types that are bound, by their prefixes. */
    private static Map<ConfigurationPropertyName, Class<?>> bound(ApplicationContext context) {
        Map<ConfigurationPropertyName, Class<?>> bound = new HashMap<>();
        for (ConfigurationPropertiesBean bean :
                ConfigurationPropertiesBean.getAll(context).values()) {
            Object instance = bean.getInstance();
            if (instance != null) {
                bound.put(
                        ConfigurationPropertyName.adapt(bean.getAnnotation().prefix(), '.'),
                        instance.getClass());
            }
        }
        return bound;
    }

    /**
     * Returns a warning for each name that has no effect.
     *
     * @param bound the types that are bound, by their prefixes
     */
    static List<String> warnings(
            ConfigurableEnvironment environment, Map<ConfigurationPropertyName, Class<?>> bound) {
        List<ConfigurationPropertySource> sources =
                ConfigurationFiles.sources(environment)
                        .filter(new UnboundElementsSourceFilter()::apply)
                        .toList();
        Set<ConfigurationPropertyName> own =
                properties(sources.stream().filter(UnknownNameWarning::isOwn))
                        .map(ConfigurationProperty::getName)
                        .collect(Collectors.toSet());
        List<ConfigurationProperty> doubtful =
                properties(sources.stream().filter(Predicate.not(UnknownNameWarning::isOwn)))
                        .filter(property -> !own.contains(property.getName()))
                        .filter(property -> !isBound(property.getName(), bound))
                        .toList();
        if (doubtful.isEmpty()) {
            return List.of();
        }
        Map<ConfigurationPropertyName, BootProperty> known = known();
        return doubtful.stream().flatMap(one -> warning(one, known).stream()).toList();
    }

    private static boolean isBound(
            ConfigurationPropertyName name, Map<ConfigurationPropertyName, Class<?>> bound) {
        return IntStream.range(1, name.getNumberOfElements())
                .anyMatch(
                        length -> {
                            Class<?> type = bound.get(name.chop(length));
                            return type != null && hasMember(type, name, length);
                        });
    }

    /** Returns whether a type has the members that a name has from an element on. */
    private static boolean hasMember(Class<?> type, ConfigurationPropertyName name, int at) {
        if (at == name.getNumberOfElements()
                || Map.class.isAssignableFrom(type)
                || Collection.class.isAssignableFrom(type)
                || type.isArray()) {
            return true;
        }
        String member = name.getElement(at, Form.UNIFORM);
        return Arrays.stream(BeanUtils.getPropertyDescriptors(type))
                .filter(one -> one.getName().toLowerCase(Locale.ROOT).equals(member))
                .map(PropertyDescriptor::getPropertyType)
                .anyMatch(found -> found != null && hasMember(found, name, at + 1));
    }

    /** Returns whether it is the file within the jar. */
    private static boolean isOwn(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof PropertySource<?> named
                && named.getName().contains("class path resource");
    }

    private static Stream<ConfigurationProperty> properties(
            Stream<ConfigurationPropertySource> sources) {
        return sources.filter(IterableConfigurationPropertySource.class::isInstance)
                .map(IterableConfigurationPropertySource.class::cast)
                .flatMap(
                        source ->
                                source.stream()
                                        .filter(UnknownNameWarning::isChecked)
                                        .map(source::getConfigurationProperty))
                .filter(Objects::nonNull);
    }

    private static boolean isChecked(ConfigurationPropertyName name) {
        return (isBoots(name) || isMisspelled(name)) && !INDICATORS.isAncestorOf(name);
    }

    private static boolean isBoots(ConfigurationPropertyName name) {
        return CHECKED.stream().anyMatch(prefix -> prefix.isAncestorOf(name));
    }

    private static boolean isMisspelled(ConfigurationPropertyName name) {
        return name.getNumberOfElements() > 1
                && CHECKED.stream()
                        .mapToInt(
                                prefix ->
                                        EditDistance.between(
                                                name.getElement(0, Form.UNIFORM),
                                                prefix.toString()))
                        .anyMatch(corrections -> corrections == 1 || corrections == 2);
    }

    private static Map<ConfigurationPropertyName, BootProperty> known() {
        Map<ConfigurationPropertyName, BootProperty> known = new HashMap<>();
        try {
            for (Resource part : new PathMatchingResourcePatternResolver().getResources(METADATA)) {
                try (InputStream json = part.getInputStream()) {
                    JsonMapper.shared()
                            .readTree(json)
                            .path("properties")
                            .forEach(property -> add(property, known));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return known;
    }

    private static void add(JsonNode property, Map<ConfigurationPropertyName, BootProperty> known) {
        ConfigurationPropertyName name =
                ConfigurationPropertyName.adapt(property.path("name").asString(), '.');
        if (isChecked(name)) {
            known.put(name, BootProperty.of(property));
        }
    }

    private static Optional<String> warning(
            ConfigurationProperty written, Map<ConfigurationPropertyName, BootProperty> known) {
        ConfigurationPropertyName name = withoutIndex(written.getName());
        BootProperty property = known.get(name);
        boolean effective =
                property != null
                        ? !property.gone()
                        : IntStream.range(2, name.getNumberOfElements())
                                .mapToObj(name::chop)
                                .map(known::get)
                                .anyMatch(above -> above != null && above.open());
        if (effective) {
            return Optional.empty();
        }
        Optional<String> near = nearest(name.toString(), known);
        if (near.isEmpty() && !isBoots(name)) {
            // Another program may have it, or a placeholder.
            return Optional.empty();
        }
        String place = ConfigurationFiles.place(written.getOrigin());
        String remedy =
                property != null && !property.replacement().isEmpty()
                        ? "use " + property.replacement()
                        : near.map(one -> "did you mean " + one + "?").orElse("remove it");
        return Optional.of(
                "%s%s: unknown property of Spring Boot, which has no effect; %s"
                        .formatted(name, place.isEmpty() ? "" : " (" + place + ")", remedy));
    }

    private static ConfigurationPropertyName withoutIndex(ConfigurationPropertyName name) {
        return name.isNumericIndex(name.getNumberOfElements() - 1) ? name.getParent() : name;
    }

    private static Optional<String> nearest(
            String name, Map<ConfigurationPropertyName, BootProperty> known) {
        return EditDistance.nearest(
                name,
                known.entrySet().stream()
                        .filter(one -> !one.getValue().gone())
                        .map(one -> one.getKey().toString())
                        .toList());
    }
}
