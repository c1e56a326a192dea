// Where the Java compiler sees references, across all files of a project.
// Standard input: lines `file PATH`, then lines `ask PATH OFFSET`, the offset of a definition's
// name. Each question is answered by one line: PATH:LINE pairs, tabs between; empty when nothing
// is defined there.
// Usage: java --add-exports ... References.java < requests
import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.tree.JCTree;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.util.*;
import javax.tools.*;

public class References {
    static final Map<Element, Set<String>> USES = new HashMap<>();
    static final Map<String, Element> DEFINED = new HashMap<>();
    static final Map<Element, Boolean> OURS = new HashMap<>();
    static final Map<String, List<ExecutableElement>> METHODS = new HashMap<>();

    public static void main(String[] args) throws IOException {
        var asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        List<String> files = new ArrayList<>();
        List<String> questions = new ArrayList<>();
        for (String line; (line = asked.readLine()) != null; ) {
            if (line.startsWith("file ")) files.add(line.substring(5));
            else questions.add(line.substring(4));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var manager = compiler.getStandardFileManager(d -> {}, null, StandardCharsets.UTF_8);
        var options = List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-Xlint:none");
        var task = (JavacTask) compiler.getTask(new PrintWriter(Writer.nullWriter()), manager,
            d -> {}, options, null, manager.getJavaFileObjectsFromStrings(files));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        try {
            task.analyze();
        } catch (RuntimeException | AssertionError broken) {
            System.err.println("the compiler gave up: " + broken);
        }
        Trees trees = Trees.instance(task);
        for (CompilationUnitTree unit : units) new Uses(unit, trees).scan(unit, null);
        var out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        for (String question : questions) {
            Element defined = DEFINED.get(question);
            out.println(defined == null ? "" : String.join("\t", answer(defined, task.getElements())));
        }
        out.flush();
    }

    /** Places of a definition; of a method also those of what it overrides and what overrides it. */
    static Set<String> answer(Element asked, Elements elements) {
        Set<String> found = new TreeSet<>(USES.getOrDefault(asked, Set.of()));
        if (!(asked instanceof ExecutableElement method)) return found;
        for (ExecutableElement other : METHODS.getOrDefault(named(method), List.of())) {
            if (other != method && (overrides(elements, method, other)
                    || overrides(elements, other, method))) {
                found.addAll(USES.getOrDefault(other, Set.of()));
            }
        }
        return found;
    }

    static boolean overrides(Elements elements, ExecutableElement one, ExecutableElement other) {
        // Where a library is missing, methods of one class look alike.
        return one.getEnclosingElement() != other.getEnclosingElement()
            && elements.overrides(one, other, (TypeElement) one.getEnclosingElement());
    }

    static String named(ExecutableElement method) {
        return method.getSimpleName() + "/" + method.getParameters().size();
    }

    static class Uses extends TreePathScanner<Void, Void> {
        final CompilationUnitTree unit;
        final Trees trees;
        final String path;
        final String text;

        Uses(CompilationUnitTree unit, Trees trees) throws IOException {
            this.unit = unit;
            this.trees = trees;
            this.path = unit.getSourceFile().getName();
            this.text = unit.getSourceFile().getCharContent(true).toString();
        }

        void note(Element element, long start, String word) {
            if (element == null || start < 0 || !text.startsWith(word, (int) start)) return;
            long line = unit.getLineMap().getLineNumber(start);
            USES.computeIfAbsent(element, e -> new TreeSet<>()).add(path + ":" + line);
        }

        void define(Element element, long start, String word) {
            if (element == null || start < 0 || !text.startsWith(word, (int) start)) return;
            DEFINED.put(path + " " + start, element);
            note(element, start, word);
            if (element instanceof ExecutableElement method && method.getKind() == ElementKind.METHOD)
                METHODS.computeIfAbsent(named(method), e -> new ArrayList<>()).add(method);
        }

        Element here() {
            return trees.getElement(getCurrentPath());
        }

        long endOf(Tree tree) {
            return trees.getSourcePositions().getEndPosition(unit, tree);
        }

        long startOf(Tree tree) {
            return trees.getSourcePositions().getStartPosition(unit, tree);
        }

        long wordAfter(int from, String word) {
            var found = java.util.regex.Pattern.compile("\\b" + java.util.regex.Pattern.quote(word)
                + "\\b").matcher(text);
            return from >= 0 && found.find(from) ? found.start() : -1;
        }

        @Override
        public Void visitClass(ClassTree tree, Void p) {
            String name = tree.getSimpleName().toString();
            if (!name.isEmpty()) define(here(), wordAfter(((JCTree) tree).pos, name), name);
            return super.visitClass(tree, p);
        }

        @Override
        public Void visitMethod(MethodTree tree, Void p) {
            Element element = here();
            String name = tree.getName().toString();
            if (name.equals("<init>") && element != null)
                name = element.getEnclosingElement().getSimpleName().toString();
            if (!name.isEmpty()) define(element, ((JCTree) tree).pos, name);
            return super.visitMethod(tree, p);
        }

        @Override
        public Void visitVariable(VariableTree tree, Void p) {
            Element element = here();
            String name = tree.getName().toString();
            define(element, ((JCTree) tree).pos, name);
            if (element != null && element.getKind() == ElementKind.ENUM_CONSTANT
                    && tree.getInitializer() instanceof NewClassTree made)
                note(constructor(made), ((JCTree) tree).pos, name);
            return super.visitVariable(tree, p);
        }

        @Override
        public Void visitIdentifier(IdentifierTree tree, Void p) {
            note(here(), startOf(tree), tree.getName().toString());
            return null;
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree tree, Void p) {
            String name = tree.getIdentifier().toString();
            note(here(), endOf(tree) - name.length(), name);
            return super.visitMemberSelect(tree, p);
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree tree, Void p) {
            String name = tree.getMode() == MemberReferenceTree.ReferenceMode.NEW
                ? "new" : tree.getName().toString();
            note(here(), endOf(tree) - name.length(), name);
            return super.visitMemberReference(tree, p);
        }

        /** What `import static a.B.c` brings in: every static member of that name. */
        @Override
        public Void visitImport(ImportTree tree, Void p) {
            if (tree.isStatic() && tree.getQualifiedIdentifier() instanceof MemberSelectTree all) {
                String name = all.getIdentifier().toString();
                var owner = new TreePath(getCurrentPath(), all);
                Element type = trees.getElement(new TreePath(owner, all.getExpression()));
                for (Element one : type instanceof TypeElement ? members(type) : List.<Element>of())
                    if (one.getSimpleName().contentEquals(name)
                            && one.getModifiers().contains(Modifier.STATIC))
                        note(one, endOf(all) - name.length(), name);
            }
            return super.visitImport(tree, p);
        }

        List<Element> members(Element type) {
            List<Element> found = new ArrayList<>(type.getEnclosedElements());
            var above = ((TypeElement) type).getSuperclass();
            if (above instanceof javax.lang.model.type.DeclaredType known)
                found.addAll(members(known.asElement()));
            return found;
        }

        @Override
        public Void visitNewClass(NewClassTree tree, Void p) {
            Tree named = tree.getIdentifier();
            while (named instanceof AnnotatedTypeTree noted) named = noted.getUnderlyingType();
            if (named instanceof ParameterizedTypeTree whole) named = whole.getType();
            Element made = constructor(tree);
            if (made != null) {
                String name = made.getEnclosingElement().getSimpleName().toString();
                note(made, endOf(named) - name.length(), name);
            }
            return super.visitNewClass(tree, p);
        }

        /** The constructor that is named: of a class without a name, that of the class above. */
        Element constructor(NewClassTree tree) {
            var made = (JCTree.JCNewClass) tree;
            if (tree.getClassBody() == null) return made.constructor;
            for (Tree member : tree.getClassBody().getMembers())
                if (member instanceof JCTree.JCMethodDecl method
                        && method.name.contentEquals("<init>") && method.body != null
                        && method.body.stats.head instanceof JCTree.JCExpressionStatement first
                        && first.expr instanceof JCTree.JCMethodInvocation call)
                    return com.sun.tools.javac.tree.TreeInfo.symbol(call.meth);
            return null;
        }
    }
}
