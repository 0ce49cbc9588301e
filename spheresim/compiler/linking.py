"""How a kernel is compiled: its parts one by one up to LLVM IR, then all of them as one module.

Numba by itself makes machine code of each function, and of each function that this one calls once
more inside of it. Nobody calls the machine code of a part of a kernel. So parts are only typed and
written as LLVM IR; the kernel links all of them, once each, and has them optimised and translated
together. The kernel for balls that fall onto a plane compiles in a third of the time so.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from llvmlite import ir
from llvmlite.binding import ModuleRef, ValueRef
from numba.core import codegen, compiler, types
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.ir import UNDEFINED, Expr, Loc
from numba.core.lowering import Lower
from numba.core.registry import cpu_target
from numba.core.rewrites import rewrite_registry
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import (
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.typing import Signature
from numba.core.untyped_passes import (
    FixupArgs,
    ReconstructSSA,
    RewriteDynamicRaises,
    TranslateByteCode,
    dead_branch_prune,
    rewrite_semantic_constants,
)

from spheresim.compiler.by_reference import Reference, size_of
from spheresim.compiler.kernel_calls import CalledKernel, kernels_called_in

# error_model: x / 0 is infinity, as in numpy, and costs no check.
# _nrt: kernels allocate nothing, so the arrays inside the NamedTuples given to them need
# no reference counting, which would halve the speed of code that reads well.
# Neither fast-math nor contraction: the same input must give the same bits.
SETTINGS: dict[str, Any] = {"error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}


def compile_part(
    function: Callable[..., Any], kinds: tuple[types.Type, ...], is_inlined: bool
) -> compiler.CompileResult:
    """Type a part for arguments of these types, and write it as LLVM IR."""
    target = cpu_target.target_context
    made = compiler.compile_extra(
        _TYPING, target, function, kinds, None, _FLAGS, {}, pipeline_class=_PartCompiler
    )
    if is_inlined:
        for written in _defined(made.library._final_module):
            written.add_function_attribute("alwaysinline")
    return made


def is_compiling() -> bool:
    """Whether it is a kernel of ours, or a part of one, that asks for types now."""
    return ConfigStack.top_or_none() is _FLAGS


class _SharedFlags(compiler.Flags):  # type: ignore[misc]
    """Numba keeps what it compiled by the flags of the caller: these are the same for all parts."""

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def copy(self) -> "_SharedFlags":
        return self


_FLAGS = _SharedFlags()
cpu_target.options.parse_as_flags(
    _FLAGS, {**SETTINGS, "nopython": True, "no_cpython_wrapper": True}
)
_FLAGS.no_compile = True


class _TypingContext:
    """Numba's, which remembers what it found: it is asked the same six times on average."""

    def __init__(self) -> None:
        self._signatures: dict[tuple[object, ...], Signature | None] = {}
        self._attributes: dict[tuple[types.Type, str], types.Type | None] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(cpu_target.typing_context, name)

    def resolve_function_type(
        self,
        function: types.Type,
        arguments: tuple[types.Type, ...],
        keywords: dict[str, types.Type],
    ) -> Signature | None:
        """The signature of a call with arguments of these types."""
        call = function, arguments, tuple(sorted(keywords.items()))
        found = self._signatures.get(call)
        if found is None:
            found = cpu_target.typing_context.resolve_function_type(function, arguments, keywords)
            self._signatures[call] = found
        return found

    def resolve_getattr(self, kind: types.Type, name: str) -> types.Type | None:
        """The type of an attribute of a value of this type."""
        found = self._attributes.get((kind, name))
        if found is None:
            found = cpu_target.typing_context.resolve_getattr(kind, name)
            self._attributes[kind, name] = found
        return found


_TYPING = _TypingContext()


# --- Passes ---------------------------------------------------------------------------


@register_pass(mutates_CFG=True, analysis_only=False)
class _TypeInference(NopythonTypeInference):  # type: ignore[misc]
    """Finds types, and compiles what is called, for all callers alike."""

    _name = "type_inference_of_parts"

    def run_pass(self, state: compiler.StateDict) -> bool:
        with ConfigStack().enter(_FLAGS):
            return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class _Rewrites(FunctionPass):  # type: ignore[misc]
    """Four of Numba's passes in one, for after each of them the whole function is analysed anew."""

    _name = "rewrites_of_parts"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: compiler.StateDict) -> bool:
        rewrite_semantic_constants(state.func_ir, state.args)
        dead_branch_prune(state.func_ir, state.args)
        rewrite_registry.apply("before-inference", state)
        RewriteDynamicRaises().run_pass(state)
        return True


class _Lower(Lower):  # type: ignore[misc]
    """Tells that what is handed over by reference may be read before it is known to be needed."""

    _operations: ClassVar[dict[tuple[object, Sequence[types.Type]], Callable[..., ir.Value]]] = {}

    def extract_function_arguments(self) -> Any:
        for name, kind in zip(self.fndesc.args, self.fndesc.argtypes, strict=True):
            if isinstance(kind, Reference):
                (address,) = (a for a in self.function.args if a.name == f"arg.{name}")
                address.attributes.dereferenceable = size_of(self.context, kind)
        return super().extract_function_arguments()

    def _compute_def_location(self) -> Loc:
        """As Numba does it, which for NUMBA_DEBUGINFO looks for a line after the docstring."""
        try:
            return super()._compute_def_location()
        except IndexError:  # there is none where a function does nothing
            return self.func_ir.loc

    def lower_binop(self, resty: types.Type, expr: Expr, op: Callable[..., object]) -> ir.Value:
        """As Numba does it, which types each operation a second time."""
        if expr.static_lhs is not UNDEFINED or expr.static_rhs is not UNDEFINED:
            return super().lower_binop(resty, expr, op)
        signature = self.fndesc.calltypes[expr]
        operands = [
            self.context.cast(self.builder, self.loadvar(each.name), self.typeof(each.name), kind)
            for each, kind in zip((expr.lhs, expr.rhs), signature.args, strict=True)
        ]
        operation = op, signature.args
        if operation not in self._operations:
            kind = self.context.typing_context.resolve_value_type(op)
            call = kind.get_call_type(self.context.typing_context, signature.args, {})
            self._operations[operation] = self.context.get_function(kind, call)
        value = self._operations[operation](self.builder, operands)
        return self.context.cast(self.builder, value, signature.return_type, resty)


@register_pass(mutates_CFG=False, analysis_only=False)
class _PartLowering(NativeLowering):  # type: ignore[misc]
    """Writes LLVM IR, and stops there."""

    _name = "part_lowering"
    lowering_class = _Lower

    def run_pass(self, state: compiler.StateDict) -> bool:
        library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library = library
        super().run_pass(state)
        library.finalize()
        state.targetctx.insert_user_function(library, state.cr.fndesc, [library])
        state.cr = state.cr._replace(cfunc=library)
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class _KernelLowering(NativeLowering):  # type: ignore[misc]
    """Writes LLVM IR, and makes machine code of it and of all that it calls."""

    _name = "kernel_lowering"
    lowering_class = _Lower

    def run_pass(self, state: compiler.StateDict) -> bool:
        library = _KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        library.takes_references = any(isinstance(kind, Reference) for kind in state.args)
        library.enable_object_caching()
        state.library = library
        return bool(super().run_pass(state))


class _Compiler(compiler.CompilerBase):  # type: ignore[misc]
    """Of Numba's passes those that change anything in functions such as ours: half of them."""

    lowering: type[NativeLowering]

    def define_pipelines(self) -> list[PassManager]:
        passes = PassManager("kernels and their parts")
        for each in (
            TranslateByteCode,
            FixupArgs,
            _Rewrites,
            ReconstructSSA,
            _TypeInference,
            PreLowerStripPhis,
            self.lowering,
            NoPythonBackend,
        ):
            passes.add_pass(each, each._name)
        passes.finalize()
        return [passes]


class _PartCompiler(_Compiler):
    lowering = _PartLowering


class KernelCompiler(_Compiler):
    """How a kernel is compiled, as `njit` takes it."""

    lowering = _KernelLowering


# --- Libraries ------------------------------------------------------------------------


class _Library(codegen.JITCodeLibrary):  # type: ignore[misc]
    """Takes LLVM IR as it was written, and optimises nothing yet."""

    def add_llvm_module(self, module: ModuleRef | None) -> None:
        self._final_module.link_in(module)


class _PartLibrary(_Library):
    """LLVM IR of a part, and which others it calls."""

    _shared_module: ModuleRef

    def finalize(self) -> None:
        for function in _defined(self._final_module):
            # It may stand in several modules, and is linked although nobody calls it yet.
            function.linkage = "weak_odr"
        self._finalized = True

    def _get_module_for_linking(self) -> ModuleRef:
        """With all that it calls: for code of Numba's own, which calls a part."""
        if self._shared_module is None:
            self._shared_module = self._final_module.clone()
            _link_called(self, self._shared_module)
            for function in _defined(self._shared_module):
                function.linkage = "linkonce_odr"  # left out where nobody calls it
        return self._shared_module


class _KernelLibrary(_Library):
    """Machine code of a kernel with all of its parts."""

    takes_references = False
    kernels_called: Sequence[CalledKernel] = ()

    def finalize(self) -> None:
        self._raise_if_finalized()
        module = self._final_module
        entries = {function.name for function in _defined(module)}
        if self.takes_references:
            for function in _defined(module):
                # Fields of a reference never change, but while Python's arguments are unpacked.
                function.add_function_attribute("noinline")
        _link_called(self, module)
        self.kernels_called = kernels_called_in(module)
        for function in _defined(module):
            if function.name not in entries:
                # Without a symbol, by which the linker of the JIT would take another kernel's.
                function.linkage = "private"
        passes, builder = self._codegen._module_pass_manager()
        passes.run(module, builder)
        module.verify()
        self._finalize_final_module()


def _defined(module: ModuleRef) -> list[ValueRef]:
    return [function for function in module.functions if not function.is_declaration]


def _link_called(library: codegen.CodeLibrary, module: ModuleRef) -> None:
    """Link all that a library calls, directly or not, into a module that has its own code."""
    modules = [module]
    for called in list(_callees_first(library, set()))[:-1]:
        library._reload_init.update(called._reload_init)
        if isinstance(called, _PartLibrary):
            modules.append(called._final_module.clone())
            continue
        modules.append(called._get_module_for_linking().clone())
        for function in _defined(modules[-1]):
            function.linkage = "weak_odr"
    # By twos, and the results by twos: to link a module takes as long as both of them are large.
    while len(modules) > 1:
        for one, other in zip(modules[::2], modules[1::2], strict=False):
            one.link_in(other)
        modules = modules[::2]


def _callees_first(
    library: codegen.CodeLibrary, seen: set[codegen.CodeLibrary]
) -> Iterator[codegen.CodeLibrary]:
    if library in seen:
        return
    seen.add(library)
    if isinstance(library, _Library):
        for called in library._linking_libraries:
            yield from _callees_first(called, seen)
    yield library
