package io.kubemirror.app.config;

import module java.base;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.Import;
import org.springframework.context.index.CandidateComponentsIndex;
import org.springframework.context.index.CandidateComponentsIndexLoader;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.type.filter.AnnotationTypeFilter;

/**
 * A configuration: all records that bind properties at or below {@code kubemirror}, by type.
 *
 * <p>A feature has a record of its own, which is found because it is annotated with {@link
 * ConfigurationProperties}. Several records may bind parts of the same prefix, since each ignores
 * the names that it does not have; a name that none of them has is refused.
 */
public final class BoundRecords {

    /** The prefix of all properties of kubemirror. */
    static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("kubemirror");

    private static final String PACKAGE = "io.kubemirror";

    private final Map<Class<?>, Record> records = new LinkedHashMap<>();

    /**
     * Creates a configuration.
     *
     * @param records one record of each type
     */
    BoundRecords(Iterable<? extends Record> records) {
        records.forEach(one -> this.records.put(one.getClass(), one));
    }

    /** Returns the configuration that a bean factory has bound, or binds. */
    public static BoundRecords of(ListableBeanFactory beans) {
        return new BoundRecords(types(beans).stream().map(beans::getBean).toList());
    }

    /** Binds and validates a configuration as the start does. */
    public static BoundRecords bind(ConfigurableEnvironment environment) {
        try (var context = new AnnotationConfigApplicationContext()) {
            context.setEnvironment(environment);
            context.setClassLoader(Types.INDEXED);
            context.register(Binding.class);
            // A context logs what fails during its refresh, in the words of the exception.
            context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor());
            context.refresh();
            return of(context);
        }
    }

    @ConfigurationPropertiesScan(PACKAGE)
    @Import({
        DurationRangeConverter.class,
        ResourceElement.Converter.class,
        NestedNameCheck.class,
        WrittenValueCheck.class
    })
    private static final class Binding {}

    /** The types of the records, which are found once, because a scan reads all classes. */
    static final class Types {

        /** Has the index of the types, which a context with this class loader reads. */
        static final ClassLoader INDEXED = indexed();

        private Types() {}

        private static ClassLoader indexed() {
            ClassLoader loader = new ClassLoader(BoundRecords.class.getClassLoader()) {};
            CandidateComponentsIndexLoader.addIndex(loader, new CandidateComponentsIndex());
            var scanner = new ClassPathScanningCandidateComponentProvider(false);
            scanner.setResourceLoader(new DefaultResourceLoader(loader));
            scanner.addIncludeFilter(new AnnotationTypeFilter(ConfigurationProperties.class));
            scanner.findCandidateComponents(PACKAGE);
            return loader;
        }
    }

    /**
     * Returns the types of the records that a bean factory binds, those of short prefixes first.
     */
    static List<Class<? extends Record>> types(ListableBeanFactory beans) {
        List<Class<? extends Record>> types = new ArrayList<>();
        for (String name :
                beans.getBeanNamesForType(
                        Record.class,
                        /* includeNonSingletons= */ true,
                        /* allowEagerInit= */ false)) {
            Class<?> type = beans.getType(name, /* allowFactoryBeanInit= */ false);
            if (type != null && isBound(type)) {
                types.add(type.asSubclass(Record.class));
            }
        }
        types.sort(
                Comparator.<Class<?>>comparingInt(type -> prefix(type).getNumberOfElements())
                        .thenComparing(Class::getName));
        return types;
    }

    private static boolean isBound(Class<?> type) {
        return AnnotatedElementUtils.hasAnnotation(type, ConfigurationProperties.class)
                && (prefix(type).equals(ROOT) || ROOT.isAncestorOf(prefix(type)));
    }

    /** Returns the name at which a record is bound. */
    public static ConfigurationPropertyName prefix(Class<?> type) {
        return ConfigurationPropertyName.of(
                Objects.requireNonNull(
                                AnnotatedElementUtils.findMergedAnnotation(
                                        type, ConfigurationProperties.class))
                        .prefix());
    }

    /** Returns all records. */
    public List<Record> all() {
        return List.copyOf(records.values());
    }

    /** Returns the record of a type, which has to be annotated. */
    public <T extends Record> T get(Class<T> type) {
        return type.cast(Objects.requireNonNull(records.get(type), type::getName));
    }

    /** Returns the records of a kind, whichever features they belong to. */
    public <T> Stream<T> all(Class<T> kind) {
        return records.values().stream().filter(kind::isInstance).map(kind::cast);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BoundRecords that && records.equals(that.records);
    }

    @Override
    public int hashCode() {
        return records.hashCode();
    }

    /** Names the types only, because values may be secret. */
    @Override
    public String toString() {
        return records.keySet().toString();
    }
}
